import { deepFreeze, type ModelUsage } from '@millforge/contracts';
import {
  type Check,
  checkDocument,
  closedObject,
  complain,
  type DocumentProblem,
  integerFrom,
  jsonValue,
  listOf,
  oneOf,
  textWhere,
} from '../document/check-document.ts';
import { isPlainObject } from '../document/plain-object.ts';
import type { ModelScript, ScriptedCall, ScriptedReply } from './model-script.ts';

/** A checked script, frozen, or every mistake in the document. */
export type ModelScriptResult =
  | {
      readonly ok: true;
      /** The script. */
      readonly script: ModelScript;
    }
  | {
      readonly ok: false;
      /** At least one mistake. */
      readonly problems: readonly DocumentProblem[];
    };

/** Reads a model script from plain JSON; unknown fields and versions are refused. */
export function readModelScript(value: unknown): ModelScriptResult {
  const problems: DocumentProblem[] = [];
  if (!isModelScript(value, problems)) return { ok: false, problems };
  return { ok: true, script: deepFreeze(structuredClone(value)) };
}

function isModelScript(value: unknown, problems: DocumentProblem[]): value is ModelScript {
  problems.push(...checkDocument(value, checkScript));
  return problems.length === 0;
}

const checkArguments: Check = (value, place) => {
  if (typeof value === 'string') return;
  if (isPlainObject(value)) jsonValue(value, place);
  else complain(place, 'Expected an object, or a text for arguments that are no JSON object.');
};

const checkCall = closedObject('A call', {
  required: {
    name: textWhere('the name of a tool', (text) => text !== ''),
    arguments: checkArguments,
  } satisfies { readonly [Name in keyof ScriptedCall]-?: Check },
});

const checkUsage = closedObject('"usage"', {
  required: {
    input_tokens: integerFrom(0, Number.MAX_SAFE_INTEGER),
    output_tokens: integerFrom(0, Number.MAX_SAFE_INTEGER),
  },
  optional: { cost_micros: integerFrom(0, Number.MAX_SAFE_INTEGER) },
} satisfies {
  required: { readonly [Name in Exclude<keyof ModelUsage, 'cost_micros'>]-?: Check };
  optional: { readonly cost_micros: Check };
});

const checkContent: Check = (value, place) => {
  if (value !== null && typeof value !== 'string') complain(place, 'Expected a text or null.');
};

const checkReplyFields = closedObject('A reply', {
  required: {},
  optional: {
    content: checkContent,
    tool_calls: listOf(checkCall, { min: 0, max: 128 }),
    usage: checkUsage,
  } satisfies { readonly [Name in keyof ScriptedReply]-?: Check },
});

const checkReply: Check = (value, place) => {
  checkReplyFields(value, place);
  if (!isPlainObject(value) || 'content' in value || 'tool_calls' in value) return;
  complain(place, 'A reply needs "content", "tool_calls" or both.');
};

const checkScript = closedObject('A model script', {
  required: {
    kind: oneOf('model_script'),
    schema_version: oneOf('1.0'),
    replies: listOf(checkReply, { min: 0, max: 10_000 }),
  } satisfies { readonly [Name in keyof ModelScript]-?: Check },
});
