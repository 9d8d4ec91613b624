/** One event of a stream of server-sent events. */
export interface ServerEvent {
  /** Name of the event; empty when it has none. */
  readonly name: string;
  /** Its data, lines joined. */
  readonly data: string;
}

/** Takes text as it arrives, and gives the events that are complete. */
export interface ServerEventParser {
  /** Takes the next piece, cut anywhere. */
  push(text: string): readonly ServerEvent[];
  /** An event that the end of the stream completes: some servers leave out the last blank line. */
  end(): readonly ServerEvent[];
}

/**
 * Makes a parser of `text/event-stream`.
 *
 * Lines end with LF, CR LF or CR; comments, which servers send to keep a connection alive, and fields
 * other than `event` and `data` mean nothing here.
 */
export function createServerEventParser(): ServerEventParser {
  let rest = '';
  let name = '';
  let data: string[] = [];
  const events: ServerEvent[] = [];

  const dispatch = (): void => {
    if (data.length > 0) events.push({ name, data: data.join('\n') });
    name = '';
    data = [];
  };
  const takeLine = (line: string): void => {
    if (line === '') return dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') data.push(value);
    else if (field === 'event') name = value;
  };
  const takeLines = (isEnd: boolean): void => {
    let start = 0;
    for (;;) {
      const at = nextBreak(rest, start);
      // A CR at the very end may be the first half of CR LF.
      if (at < 0 || (!isEnd && at === rest.length - 1 && rest[at] === '\r')) break;
      takeLine(rest.slice(start, at));
      start = at + (rest[at] === '\r' && rest[at + 1] === '\n' ? 2 : 1);
    }
    rest = rest.slice(start);
  };
  const taken = (): readonly ServerEvent[] => events.splice(0);

  return {
    push(text) {
      rest += text;
      takeLines(false);
      return taken();
    },
    end() {
      takeLines(true);
      if (rest !== '') takeLine(rest);
      rest = '';
      dispatch();
      return taken();
    },
  };
}

function nextBreak(text: string, from: number): number {
  const lf = text.indexOf('\n', from);
  const cr = text.indexOf('\r', from);
  if (lf < 0) return cr;
  return cr < 0 ? lf : Math.min(lf, cr);
}
