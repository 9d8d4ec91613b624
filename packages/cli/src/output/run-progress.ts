import { unreachable } from '@millforge/contracts';
import type { CallEvent, RunEvent } from '@millforge/runtime';
import { formatElapsed } from './format-elapsed.ts';
import { createStatusLine } from './status-line.ts';
import type { CliHost } from './terminal.ts';

/** Shows a run as it goes: one line per turn and call, and on a terminal what is going on. */
export interface RunProgress {
  /** Takes an event of the run. */
  onEvent(event: RunEvent): void;
  /** Whether the run waits for the model, and for nothing else. */
  isAsking(): boolean;
  /** Says something beside the run. */
  note(text: string): void;
  /** Ends the status line. */
  close(): void;
}

/** Makes the progress display of one run, on stderr; on a terminal it ticks until it is closed. */
export function createRunProgress(host: CliHost): RunProgress {
  const status = createStatusLine(host.stderr);
  const started = host.monotonicMs();
  const stamp = () => formatElapsed(host.monotonicMs() - started).padStart(9);
  const activities = createActivities(host);
  let replayedTurns = 0;
  let isPersonAsked = false;

  const print = (line: string) => {
    status.print(`${stamp()}  ${line}`);
  };
  const printReplay = () => {
    if (replayedTurns === 0) return;
    print(`${replayedTurns} ${replayedTurns === 1 ? 'turn' : 'turns'} replayed from the trail`);
    replayedTurns = 0;
  };
  const showActivity = () => {
    // A person may be typing an answer on that line.
    if (isPersonAsked) return;
    const doing = activities.latest();
    if (doing === null) status.clear();
    else status.show(`${stamp()}  ${doing}`);
  };
  const stopTicking = host.stderr.isTerminal ? host.every(TICK_MS, showActivity) : null;
  return {
    onEvent(event) {
      if (event.replayed && event.kind !== 'run-ended') {
        if (event.kind === 'model-replied') replayedTurns += 1;
        return;
      }
      printReplay();
      // First, so that whoever reacts to a line finds what is going on by then.
      activities.follow(event);
      const line = lineOf(event);
      if (line !== null) print(line);
      isPersonAsked = event.kind === 'approval-requested';
      if (isPersonAsked) status.clear();
      showActivity();
    },
    isAsking: () => activities.isAsking(),
    note(text) {
      status.print(text);
      showActivity();
    },
    close() {
      stopTicking?.();
      printReplay();
      status.clear();
    },
  };
}

/** Something that the run waits for. */
interface Activity {
  readonly what: string;
  readonly since: number;
  /** Its last line of output; empty where it says nothing. */
  readonly last: string;
}

/** What the run waits for: the model, or calls of which several may run at once. */
function createActivities(host: CliHost) {
  const running = new Map<string, Activity>();
  const begin = (key: string, what: string) => {
    running.set(key, { what, since: host.monotonicMs(), last: '' });
  };
  const update = (key: string, text: string) => {
    const known = running.get(key);
    const last = oneLine(text.trimEnd().split('\n').at(-1) ?? '');
    if (known !== undefined) running.set(key, { ...known, last });
  };
  return {
    follow(event: RunEvent): void {
      switch (event.kind) {
        case 'turn-started':
          begin('model', `turn ${event.turn}: waiting for the model`);
          return;
        case 'call-started':
          begin(callKey(event), `running ${event.describe}`);
          return;
        case 'call-updated':
          update(callKey(event), event.text);
          return;
        case 'call-ended':
          running.delete(callKey(event));
          return;
        case 'model-replied':
          running.delete('model');
          return;
        case 'run-ended':
          running.clear();
          return;
        case 'run-steered':
        case 'context-compacted':
        case 'model-wrote':
        case 'approval-requested':
        case 'approval-decided':
        case 'model-re-asked':
        case 'call-refused':
          return;
        default:
          unreachable(event, 'event of a run');
      }
    },
    isAsking: (): boolean => running.size === 1 && running.has('model'),
    latest(): string | null {
      const last = [...running.values()].at(-1);
      if (last === undefined) return null;
      const time = `${last.what}, ${Math.floor((host.monotonicMs() - last.since) / 1000)} s`;
      return last.last === '' ? time : `${time}: ${last.last}`;
    },
  };
}

function callKey(event: CallEvent): string {
  return `call ${event.turn} ${event.index}`;
}

function lineOf(event: RunEvent): string | null {
  switch (event.kind) {
    case 'turn-started':
    case 'model-wrote':
    case 'approval-requested':
    case 'call-started':
    case 'call-updated':
    case 'run-ended':
      return null;
    case 'approval-decided':
      return `  ${event.decision} by ${oneLine(event.decidedBy)}: ${oneLine(event.tool)}`;
    case 'run-steered':
      return event.stop === null ? `  heard: ${event.messages.map(oneLine).join('; ')}` : null;
    case 'context-compacted':
      return `  shortened the conversation from ${event.tokensBefore} to ${event.tokensAfter} tokens`;
    case 'model-replied': {
      const what = event.calls.length > 0 ? event.calls.map(oneLine).join(', ') : 'text';
      const tokens =
        event.usage === null
          ? ''
          : `, ${event.usage.input_tokens} + ${event.usage.output_tokens} tokens`;
      const tries = event.attempts > 1 ? `, ${event.attempts} requests` : '';
      return `turn ${event.turn}: ${what} (${took(event.elapsedMs)}${tokens}${tries})`;
    }
    case 'model-re-asked':
      return `  asked again: the reply was ${RE_ASK_WORDS[event.reason]}`;
    case 'call-ended': {
      const call = `${oneLine(event.tool)} (${took(event.elapsedMs)})`;
      return event.status === 'success' ? `  ok  ${call}` : `  no  ${call}: ${oneLine(event.text)}`;
    }
    case 'call-refused':
      return `  no  ${oneLine(event.tool)} refused: ${oneLine(event.message)}`;
    default:
      return unreachable(event, 'event of a run');
  }
}

function took(milliseconds: number | null): string {
  return milliseconds === null ? 'replayed' : formatElapsed(milliseconds);
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

const TICK_MS = 1000;
const RE_ASK_WORDS = {
  text: 'text instead of a call',
  empty: 'empty',
  cut: 'cut off',
  'failed-call': 'a call that could not be taken',
  announcement: 'a promise instead of a call',
} as const;
