import type { JsonValue } from '@millforge/contracts';

/** The ways in which models write a call into their text, by the family that made each known. */
export type TextCallFormat =
  | 'json'
  | 'tool-call-tag'
  | 'function-tag'
  | 'invoke-tag'
  | 'argument-tags'
  | 'tool-tag'
  | 'mistral'
  | 'kimi'
  | 'deepseek'
  | 'harmony'
  | 'llama'
  | 'gemma'
  | 'python'
  | 'functionary'
  | 'react'
  | 'name-and-json';

/** A call as it stands in a text; neither its name nor its arguments have been judged. */
export interface TextCall {
  /** Name as written, without what a format puts around it. */
  readonly name: string;
  /** Arguments; anything but an object will be refused. */
  readonly arguments: JsonValue;
  /** How it was written. */
  readonly format: TextCallFormat;
}

/** What a reader made of the place it was asked about. */
export type BlockReading =
  | {
      /** The place holds calls, up to `end`. */
      readonly kind: 'calls';
      readonly calls: readonly TextCall[];
      readonly end: number;
    }
  /** The place holds something whole that is no call, up to `end`. */
  | { readonly kind: 'other'; readonly end: number }
  | {
      /** The place begins like a call and is none. */
      readonly kind: 'broken';
      /** The name that could be read, if any. */
      readonly name: string | null;
      /** Whether the text ended inside it. */
      readonly isCut: boolean;
    };

/** The reading of a place that holds calls. */
export function callsUpTo(end: number, calls: readonly TextCall[]): BlockReading {
  return { kind: 'calls', calls, end };
}

/** The reading of a place that holds something else. */
export function otherUpTo(end: number): Extract<BlockReading, { kind: 'other' }> {
  return { kind: 'other', end };
}

/** The reading of a place that begins like a call and is none. */
export function brokenCall(name: string | null, isCut: boolean): BlockReading {
  return { kind: 'broken', name, isCut };
}

/** Reads what begins at a place of a text. */
export type BlockReader = (source: BlockSource, at: number) => BlockReading;

/** The text with what readers need to know besides. */
export interface BlockSource {
  /** The whole text. */
  readonly text: string;
  /** Whether the reply ended because of the limit of output; then nothing is closed. */
  readonly isCut: boolean;
  /** Whether a name is one of the tools on offer, in some spelling. */
  readonly isTool: (name: string) => boolean;
}
