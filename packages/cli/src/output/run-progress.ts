import type { RunEvent } from '@millforge/runtime';
import { formatElapsed } from './format-elapsed.ts';
import { createStatusLine } from './status-line.ts';
import type { CliHost } from './terminal.ts';

/** Shows a run as it goes: one line per turn and call, and on a terminal what is going on. */
export interface RunProgress {
  /** Takes an event of the run. */
  onEvent(event: RunEvent): void;
  /** Says something beside the run. */
  note(text: string): void;
  /** Ends the status line. */
  close(): void;
}

/** Makes the progress display of one run, on stderr. */
export function createRunProgress(host: CliHost): RunProgress {
  const status = createStatusLine(host.stderr);
  const started = host.monotonicMs();
  const stamp = () => formatElapsed(host.monotonicMs() - started).padStart(8);
  let replayedTurns = 0;
  const print = (line: string) => {
    status.print(`${stamp()}  ${line}`);
  };
  const printReplay = () => {
    if (replayedTurns === 0) return;
    print(`${replayedTurns} ${replayedTurns === 1 ? 'turn' : 'turns'} replayed from the trail`);
    replayedTurns = 0;
  };
  return {
    onEvent(event) {
      if (event.replayed && event.kind !== 'run-ended') {
        if (event.kind === 'model-replied') replayedTurns += 1;
        return;
      }
      printReplay();
      const line = lineOf(event);
      if (line !== null) print(line);
      const doing = activityOf(event);
      if (doing !== null) status.show(`${stamp()}  ${doing}`);
    },
    note(text) {
      status.print(text);
    },
    close() {
      printReplay();
      status.clear();
    },
  };
}

function lineOf(event: RunEvent): string | null {
  switch (event.kind) {
    case 'turn-started':
    case 'call-started':
    case 'run-ended':
      return null;
    case 'model-replied': {
      const what = event.calls.length > 0 ? event.calls.join(', ') : 'text';
      const tokens =
        event.usage === null
          ? ''
          : `, ${event.usage.input_tokens} + ${event.usage.output_tokens} tokens`;
      const tries = event.attempts > 1 ? `, ${event.attempts} requests` : '';
      return `turn ${event.turn}: ${what} (${took(event.elapsedMs)}${tokens}${tries})`;
    }
    case 'model-re-asked':
      return `  asked again: the reply was ${RE_ASK_WORDS[event.reason]}`;
    case 'call-ended':
      return `  ${event.status === 'success' ? 'ok ' : 'no '} ${event.tool} (${took(event.elapsedMs)})${event.status === 'success' ? '' : `: ${oneLine(event.text)}`}`;
    case 'call-refused':
      return `  no  ${event.tool} refused: ${oneLine(event.message)}`;
  }
}

function activityOf(event: RunEvent): string | null {
  if (event.kind === 'turn-started') return `turn ${event.turn}: waiting for the model`;
  if (event.kind === 'call-started') return `running ${event.describe}`;
  return null;
}

function took(milliseconds: number | null): string {
  return milliseconds === null ? 'replayed' : formatElapsed(milliseconds);
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

const RE_ASK_WORDS = {
  text: 'text instead of a call',
  empty: 'empty',
  cut: 'cut off',
} as const;
