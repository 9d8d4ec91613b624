/** Which Pi the tools equal: `default` with its faults mended, `strict` to the letter of 0.79.6. */
export type PiProfile = 'default' | 'strict';

/** Where the two profiles part. Each switch is on in the default profile and off in the strict one. */
export interface ProfileSwitches {
  /** A path is tried as it was sent before it is read as a model may have meant it. */
  readonly exactPathFirst: boolean;
  /** Lines are counted as `wc` does; what follows a final line feed is none. */
  readonly countsWholeLines: boolean;
  /** Limits below one count as one, and parts of one are dropped. */
  readonly mendsLimits: boolean;
  /** Only the two signatures that GIF files have make a GIF, and a bitmap is an image. */
  readonly knowsImages: boolean;
  /** A path in a shell hint is quoted. */
  readonly quotesHints: boolean;
  /** An edit that missed is told the closest place and the reason. */
  readonly explainsMisses: boolean;
  /** A patch shows the bytes of the file: its line endings and its byte order mark. */
  readonly patchesBytes: boolean;
  /** Edits are also taken as one object, as the text of one, and with keys that mean nothing. */
  readonly forgivesEdits: boolean;
  /** A size in bytes is one in bytes, not in UTF-16 units. */
  readonly countsBytes: boolean;
  /** A listing is the same on every machine and leaves out no entry. */
  readonly listsAll: boolean;
  /** A process group is asked to end, and what left the group is ended too. */
  readonly endsDescendants: boolean;
  /** A process in the background is listened to for two seconds at most. */
  readonly boundsDrain: boolean;
  /** A very long line of output is shown by its end only. */
  readonly clipsOutputLines: boolean;
  /** A time-out above the limit of every call is reported. */
  readonly reportsLongTimeouts: boolean;
  /** Arguments that do not fit are told in the words of the house, the first fault only. */
  readonly wordsArguments: boolean;
  /** A search goes by its own folder: globs, ignore rules, case, version control, order. */
  readonly searchesByRoot: boolean;
}

/** The switches of a profile. */
export function profileSwitches(profile: PiProfile = 'default'): ProfileSwitches {
  return profile === 'strict' ? STRICT : DEFAULT;
}

const DEFAULT: ProfileSwitches = switches(true);
const STRICT: ProfileSwitches = switches(false);

function switches(on: boolean): ProfileSwitches {
  return {
    exactPathFirst: on,
    countsWholeLines: on,
    mendsLimits: on,
    knowsImages: on,
    quotesHints: on,
    explainsMisses: on,
    patchesBytes: on,
    forgivesEdits: on,
    countsBytes: on,
    listsAll: on,
    endsDescendants: on,
    boundsDrain: on,
    clipsOutputLines: on,
    reportsLongTimeouts: on,
    wordsArguments: on,
    searchesByRoot: on,
  };
}
