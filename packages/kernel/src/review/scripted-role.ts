import type { JsonValue } from '@millforge/contracts';
import { reviewError } from './review-error.ts';
import type { FindingSeverity, ProposedFinding } from './review-finding.ts';
import type { ReviewRole, RoleAnswer, RoleContext, RoleCoverage } from './review-role.ts';

/** A pattern that is looked for line by line. */
export interface ScriptedRule {
  /** Expression that a line must match. */
  readonly pattern: RegExp;
  /** What is claimed about such a line. */
  readonly claim: string;
  /** How much it matters. */
  readonly severity: FindingSeverity;
  /** Expression that the path must match. Default every path. */
  readonly paths?: RegExp;
}

/**
 * Looks for patterns instead of asking a model: the same capture always gives the same findings, marked `scripted`.
 *
 * It knows a few rules for `correctness`, `security` and `tests`; they find little and stand in where no model is.
 *
 * @throws `review/options-invalid` for another role without rules.
 */
export function scriptedRole(role: string, given?: readonly ScriptedRule[]): ReviewRole {
  const rules = (given ?? RULES[role])?.map(withoutMemory);
  if (rules === undefined) {
    throw reviewError(
      'review/options-invalid',
      `There are no rules for the role ${role.slice(0, 64)}; give some, or take one of ${Object.keys(RULES).join(', ')}.`,
    );
  }
  return {
    role,
    origin: 'scripted',
    version: '1',
    parameters: { rules: rules.map(ruleJson) },
    propose: (context) => propose(context, rules),
  };
}

async function propose(
  { tree, signal }: RoleContext,
  rules: readonly ScriptedRule[],
): Promise<RoleAnswer> {
  const findings: ProposedFinding[] = [];
  const coverage: RoleCoverage[] = [];
  for (const { path } of tree.files) {
    signal.throwIfAborted();
    const lines = await tree.readLines(path);
    if (lines === null) {
      coverage.push({ state: 'none', path, reason: 'not-text' });
      continue;
    }
    const fitting = rules.filter(({ paths }) => paths?.test(path) ?? true);
    const long = lines.findIndex((line) => line.length > MOST_LINE);
    for (const [index, line] of lines.slice(0, long < 0 ? undefined : long).entries()) {
      for (const rule of fitting) {
        if (rule.pattern.test(line)) findings.push(findingOf(rule, { path, line, at: index + 1 }));
      }
    }
    coverage.push(
      long < 0
        ? { state: 'whole', path }
        : { state: 'truncated', path, shown_lines: long, lines: lines.length },
    );
  }
  return { findings, coverage, failure: null };
}

function findingOf(
  { claim, severity }: ScriptedRule,
  { path, line, at }: { readonly path: string; readonly line: string; readonly at: number },
): ProposedFinding {
  return { path, start_line: at, end_line: at, quote: line, claim, severity };
}

/** Expressions with the flags `g` and `y` go on where they last matched, which is no property of a line. */
function withoutMemory(rule: ScriptedRule): ScriptedRule {
  return {
    ...rule,
    pattern: forgetful(rule.pattern),
    ...(rule.paths === undefined ? {} : { paths: forgetful(rule.paths) }),
  };
}

function forgetful({ source, flags }: RegExp): RegExp {
  return new RegExp(source, flags.replaceAll(/[gy]/g, ''));
}

function ruleJson({ pattern, claim, severity, paths }: ScriptedRule): JsonValue {
  return {
    pattern: String(pattern),
    claim,
    severity,
    paths: paths === undefined ? null : String(paths),
  };
}

// Longer lines are made by tools; an expression that backtracks could be kept busy with them.
const MOST_LINE = 4096;

const TEST_FILE = /(?:^|[./_-])(?:test|tests|spec)(?:[./_-]|$)/i;

const RULES: Readonly<Record<string, readonly ScriptedRule[]>> = {
  correctness: [
    {
      pattern: /^(?:<{7} |>{7} |\|{7} )/,
      claim: 'A mark of an unfinished merge was left in the file.',
      severity: 'high',
    },
    {
      pattern: /^\s*debugger\s*;?\s*$/,
      claim: 'A stop for the debugger was left in the code.',
      severity: 'medium',
    },
    {
      pattern: /\bcatch\s*(?:\([^)]*\))?\s*\{\s*\}/,
      claim: 'An error is caught and nothing is done about it.',
      severity: 'low',
    },
  ],
  security: [
    {
      pattern: /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/,
      claim: 'A private key stands in the file.',
      severity: 'critical',
    },
    {
      pattern: /\bAKIA[0-9A-Z]{16}\b/,
      claim: 'The id of an AWS access key stands in the file.',
      severity: 'high',
    },
    {
      pattern: /\brejectUnauthorized\s*:\s*false\b|\bverify\s*=\s*False\b/,
      claim: 'The certificate of the other side is not checked.',
      severity: 'high',
    },
    {
      pattern: /(?<![.\w])eval\s*\(/,
      claim: 'Text is run as code.',
      severity: 'medium',
    },
  ],
  tests: [
    {
      pattern: /\b(?:describe|it|test)\.only\s*\(/,
      claim: 'Only this test runs; all others of the file are left out.',
      severity: 'high',
      paths: TEST_FILE,
    },
    {
      pattern: /\b(?:describe|it|test)\.skip\s*\(|\bx(?:it|describe)\s*\(/,
      claim: 'This test does not run.',
      severity: 'low',
      paths: TEST_FILE,
    },
  ],
};
