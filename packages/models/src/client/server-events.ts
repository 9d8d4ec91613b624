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
  /** The beginning of a line, in pieces that are joined once it is whole. */
  let line = '';
  let isAfterReturn = false;
  let name = '';
  let data: string[] = [];
  const events: ServerEvent[] = [];

  const dispatch = (): void => {
    if (data.length > 0) events.push({ name, data: data.join('\n') });
    name = '';
    data = [];
  };
  const takeLine = (whole: string): void => {
    if (whole === '') return dispatch();
    const colon = whole.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? whole : whole.slice(0, colon);
    const value = colon < 0 ? '' : whole.slice(whole[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') data.push(value);
    else if (field === 'event') name = value;
  };
  const taken = (): readonly ServerEvent[] => events.splice(0);

  return {
    push(text) {
      // The second half of CR LF, when a piece ended between them.
      let start = isAfterReturn && text.startsWith('\n') ? 1 : 0;
      if (text !== '') isAfterReturn = text.endsWith('\r');
      // What was there before holds no line break, so that every character is looked at once.
      for (const { 0: mark, index } of text.matchAll(LINE_BREAKS)) {
        if (index < start) continue;
        takeLine(line + text.slice(start, index));
        line = '';
        start = index + mark.length;
      }
      line += text.slice(start);
      return taken();
    },
    end() {
      if (line !== '') takeLine(line);
      line = '';
      dispatch();
      return taken();
    },
  };
}

const LINE_BREAKS = /\r\n|\n|\r/g;
