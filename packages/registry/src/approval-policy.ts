import {
  isDottedId,
  type JsonValue,
  SIDE_EFFECT_CLASSES,
  type SideEffectClass,
} from '@millforge/contracts';

/**
 * What becomes of the calls of a run that somebody may have to agree to; kept with the run.
 *
 * The first rule that matches decides, whatever the tool itself asks for, except that no rule loosens
 * `out_of_band` and `forbidden`. Without a rule a call is performed if its tool asks for nothing.
 */
export interface ApprovalPolicy {
  /** Type of this document. */
  readonly kind: 'approval_policy';
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** At most 64 rules, the first that matches decides. */
  readonly rules: readonly ApprovalRule[];
  /** What becomes of a call whose tool asks for approval and that no rule matches; default `decline`. */
  readonly required?: ApprovalVerdict;
  /** Seconds for which an approval is good that was not used, 1 to 604,800; default 3,600. */
  readonly expires_after_seconds?: number;
}

/** What a rule says: performed, asked now, held until somebody decides, or not performed. */
export type ApprovalVerdict = 'approve' | 'ask' | 'hold' | 'decline';

/** Calls that are told apart by their tool, and what becomes of them. */
export interface ApprovalRule {
  /** Ids of tools; default all. */
  readonly tools?: readonly string[];
  /** Side effect classes; default all. */
  readonly effects?: readonly SideEffectClass[];
  /** What becomes of such a call. */
  readonly verdict: ApprovalVerdict;
}

/** A policy that was read, or the first thing that is wrong with it. */
export type ReadApprovalPolicy =
  | {
      /** Whether it is one. */
      readonly ok: true;
      /** The policy, frozen. */
      readonly policy: ApprovalPolicy;
    }
  | {
      /** Whether it is one. */
      readonly ok: false;
      /** Pointer to what is wrong: `/rules/0/verdict`. */
      readonly path: string;
      /** What was expected there. */
      readonly expected: string;
    };

/** Reads a policy from a document; whatever it does not know makes it no policy. */
export function readApprovalPolicy(value: JsonValue): ReadApprovalPolicy {
  const fields = objectOf(value);
  if (fields === null) return wrong('', 'an object');
  const stray = Object.keys(fields).find((key) => !POLICY_FIELDS.includes(key));
  if (stray !== undefined) return wrong('', `only the fields ${POLICY_FIELDS.join(', ')}`);
  if (fields['kind'] !== 'approval_policy') return wrong('/kind', "'approval_policy'");
  if (fields['schema_version'] !== '1.0') return wrong('/schema_version', "'1.0'");
  const { rules, required, expires_after_seconds: seconds } = fields;
  if (!Array.isArray(rules) || rules.length > MAX_RULES) {
    return wrong('/rules', `a list of at most ${MAX_RULES} rules`);
  }
  const read: ApprovalRule[] = [];
  for (const [index, rule] of rules.entries()) {
    const fault = ruleFault(rule);
    if (fault !== null) return wrong(`/rules/${index}${fault.path}`, fault.expected);
    read.push(Object.freeze({ ...rule }));
  }
  if (required !== undefined && !isVerdict(required)) return wrong('/required', VERDICT_WORDS);
  if (seconds !== undefined && !isSeconds(seconds)) {
    return wrong('/expires_after_seconds', 'a whole number from 1 to 604,800');
  }
  return {
    ok: true,
    policy: Object.freeze({
      kind: 'approval_policy',
      schema_version: '1.0',
      rules: Object.freeze(read),
      ...(required === undefined ? {} : { required }),
      ...(seconds === undefined ? {} : { expires_after_seconds: seconds }),
    }),
  };
}

/** The verdict of the first rule that matches, or null. */
export function verdictOf(
  policy: ApprovalPolicy | null,
  tool: { readonly tool_id: string; readonly side_effect_class: SideEffectClass },
): ApprovalVerdict | null {
  const rule = policy?.rules.find(
    ({ tools, effects }) =>
      (tools === undefined || tools.includes(tool.tool_id)) &&
      (effects === undefined || effects.includes(tool.side_effect_class)),
  );
  return rule?.verdict ?? null;
}

interface Fault {
  readonly path: string;
  readonly expected: string;
}

function ruleFault(value: JsonValue): Fault | null {
  const fields = objectOf(value);
  if (fields === null) return { path: '', expected: 'an object' };
  const stray = Object.keys(fields).find((key) => !RULE_FIELDS.includes(key));
  if (stray !== undefined) return { path: '', expected: `only ${RULE_FIELDS.join(', ')}` };
  const { tools, effects, verdict } = fields;
  if (tools !== undefined && !isListOf(tools, isDottedId)) {
    return { path: '/tools', expected: 'a list of tool ids' };
  }
  if (effects !== undefined && !isListOf(effects, isEffect)) {
    return { path: '/effects', expected: `a list of ${SIDE_EFFECT_CLASSES.join(', ')}` };
  }
  return verdict !== undefined && isVerdict(verdict)
    ? null
    : { path: '/verdict', expected: VERDICT_WORDS };
}

function isListOf(value: JsonValue, isRight: (text: string) => boolean): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_RULES &&
    value.every((item: JsonValue) => typeof item === 'string' && isRight(item))
  );
}

function isEffect(text: string): boolean {
  return SIDE_EFFECT_CLASSES.some((effect) => effect === text);
}

function isVerdict(value: JsonValue): value is ApprovalVerdict {
  return typeof value === 'string' && Object.hasOwn(VERDICTS, value);
}

function isSeconds(value: JsonValue): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 604_800;
}

function objectOf(value: JsonValue): { readonly [key: string]: JsonValue } | null {
  // An object that is no array is one of these by the type of JSON.
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as { readonly [key: string]: JsonValue })
    : null;
}

function wrong(path: string, expected: string): ReadApprovalPolicy {
  return { ok: false, path, expected };
}

const MAX_RULES = 64;
const POLICY_FIELDS = ['kind', 'schema_version', 'rules', 'required', 'expires_after_seconds'];
const RULE_FIELDS = ['tools', 'effects', 'verdict'];
const VERDICTS: { readonly [V in ApprovalVerdict]: true } = {
  approve: true,
  ask: true,
  hold: true,
  decline: true,
};
const VERDICT_WORDS = 'approve, ask, hold or decline';
