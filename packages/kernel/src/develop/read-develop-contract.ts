import {
  boundDiagnostics,
  canonicalJson,
  type Diagnostic,
  type JsonValue,
  MillforgeError,
  type Usage,
} from '@millforge/contracts';
import { type Fields, readFields } from '../contract/read-fields.ts';
import { found } from '../diagnostics.ts';
import { USAGE_NAMES } from '../store/read-usage.ts';
import type {
  CompleteDevelopContract,
  DevelopCriterion,
  OptionalPhase,
} from './develop-contract.ts';
import { foundInDevelop } from './diagnostics.ts';
import { isPathRule } from './tree/path-rules.ts';

/** A readable contract, or everything that is wrong with it. */
export type ReadDevelopContractResult =
  | {
      /** It can be admitted. */
      readonly ok: true;
      /** The contract with its defaults. */
      readonly value: CompleteDevelopContract;
      /** Nothing. */
      readonly diagnostics: readonly [];
    }
  | {
      /** It cannot. */
      readonly ok: false;
      /** Every mistake, with a JSON pointer. */
      readonly diagnostics: readonly Diagnostic[];
    };

/** Reads an untrusted value as the contract of a development, and collects every mistake. */
export function readDevelopContract(value: unknown): ReadDevelopContractResult {
  const diagnostics: Diagnostic[] = [];
  const plain = plainCopy(value, diagnostics);
  const fields = readFields(plain, { path: '', known: CONTRACT_FIELDS, diagnostics });
  const contract = fields === null ? null : readContract(fields);
  if (contract !== null && diagnostics.length === 0) {
    return { ok: true, value: contract, diagnostics: [] };
  }
  return { ok: false, diagnostics: boundDiagnostics(diagnostics, { phases: ['contract'] }) };
}

function plainCopy(value: unknown, diagnostics: Diagnostic[]): JsonValue {
  try {
    // Whatever is no JSON makes the encoder throw, so the cast claims nothing that is not checked.
    return JSON.parse(canonicalJson(value as JsonValue)) as JsonValue;
  } catch (error) {
    if (!MillforgeError.is(error)) throw error;
    diagnostics.push(found.notAnObject({ path: '/', fields: { expected: 'JSON' } }));
    return null;
  }
}

function readContract(fields: Fields): CompleteDevelopContract {
  fields.word('kind', ['develop_contract']);
  fields.word('schema_version', ['1.0']);
  const limits = fields.object('limits', ['wall_ms', 'phase_ms', 'artifact_bytes'], {});
  return {
    kind: 'develop_contract',
    schema_version: '1.0',
    goal_id: fields.id('goal_id'),
    objective: fields.text('objective', 16_384),
    criteria: readCriteria(fields),
    rounds: fields.whole('rounds', [1, 3], 1),
    phases: readPhases(fields),
    allowed_paths: readRules(fields, 'allowed_paths', ['**']),
    ignore: readRules(fields, 'ignore', []),
    restore: fields.flag('restore', true),
    limits: {
      wall_ms: limits.optionalWhole('wall_ms', [1000, Number.MAX_SAFE_INTEGER]),
      phase_ms: limits.whole('phase_ms', [1000, DAY_MS], 1_800_000),
      artifact_bytes: limits.optionalWhole('artifact_bytes', [0, Number.MAX_SAFE_INTEGER]),
    },
    observed_limits: readObservedLimits(fields),
    labels: readLabels(fields),
  };
}

function readCriteria(fields: Fields): readonly Required<DevelopCriterion>[] {
  const names = new Set<string>();
  return fields.items('criteria', { min: 1, max: 64 }).flatMap(({ value, within }) => {
    const one = within(value, CRITERION_FIELDS);
    if (one === null) return [];
    const name = one.id('name');
    if (names.has(name)) {
      one.report(
        foundInDevelop.duplicateCriterion({ path: one.at('name'), fields: { criterion: name } }),
      );
    }
    names.add(name);
    return [
      {
        name,
        text: one.text('text', 4096),
        command: readCommand(one),
        hidden: one.flag('hidden', false),
        timeout_ms: one.whole('timeout_ms', [1000, DAY_MS], 600_000),
      },
    ];
  });
}

/** Unlike other lists it may hold a text twice. */
function readCommand(fields: Fields): readonly string[] {
  const items = fields.items('command', { min: 1, max: 256 }).map(({ value }) => value);
  const texts = items.filter((item) => typeof item === 'string');
  const isWrong = texts.length !== items.length || texts[0] === '' || texts.some(hasNull);
  if (isWrong) {
    const fault = { expected: 'a program and its arguments, all texts' };
    fields.report(found.wrongValue({ path: fields.at('command'), fields: fault }));
  }
  return texts;
}

function hasNull(text: string): boolean {
  return text.includes('\0');
}

function readPhases(fields: Fields): readonly OptionalPhase[] {
  if (!fields.has('phases')) return OPTIONAL_PHASES;
  const named = fields.texts('phases', OPTIONAL_PHASES.length);
  if (named.some((name) => !OPTIONAL_PHASES.some((phase) => phase === name))) {
    const fault = { expected: `some of ${OPTIONAL_PHASES.join(', ')}` };
    fields.report(found.wrongValue({ path: fields.at('phases'), fields: fault }));
  }
  return OPTIONAL_PHASES.filter((phase) => named.includes(phase));
}

function readRules(fields: Fields, name: string, fallback: readonly string[]): readonly string[] {
  if (!fields.has(name)) return fallback;
  const rules = fields.texts(name, 256);
  for (const [index, rule] of rules.entries()) {
    if (isPathRule(rule)) continue;
    fields.report(foundInDevelop.invalidPathRule({ path: fields.at(name, index) }));
  }
  return rules;
}

function readObservedLimits(fields: Fields): Usage | null {
  if (!fields.has('observed_limits')) return null;
  const given = fields.object('observed_limits', USAGE_NAMES, {});
  const limits: { -readonly [Name in keyof Usage]: Usage[Name] } = {};
  for (const name of USAGE_NAMES) {
    const limit = given.optionalWhole(name, [0, Number.MAX_SAFE_INTEGER]);
    if (limit !== null) limits[name] = limit;
  }
  return Object.keys(limits).length === 0 ? null : limits;
}

/** The goal's own contract bounds them. */
function readLabels(fields: Fields): { readonly [name: string]: string } {
  const labels: [string, string][] = [];
  for (const [name, value] of Object.entries(fields.map('labels'))) {
    if (typeof value === 'string') labels.push([name, value]);
    else {
      const fault = { expected: 'a text' };
      fields.report(found.wrongValue({ path: fields.at('labels', name), fields: fault }));
    }
  }
  return Object.fromEntries(labels);
}

const OPTIONAL_PHASES: readonly OptionalPhase[] = ['plan', 'research', 'debug'];
const CRITERION_FIELDS = ['name', 'text', 'command', 'hidden', 'timeout_ms'];
const CONTRACT_FIELDS = [
  'kind',
  'schema_version',
  'goal_id',
  'objective',
  'criteria',
  'rounds',
  'phases',
  'allowed_paths',
  'ignore',
  'restore',
  'limits',
  'observed_limits',
  'labels',
];
const DAY_MS = 86_400_000;
