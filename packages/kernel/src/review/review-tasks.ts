import type { JsonValue } from '@millforge/contracts';
import type { AdapterBinding, TaskContract } from '../contract/goal-contract.ts';
import type { CaptureScope } from './capture-source.ts';
import { scopeJson } from './review-options.ts';
import type { ReviewRole } from './review-role.ts';
import type { ReviewSource } from './review-source.ts';

/** The step that reads the source. */
export const CAPTURE = 'capture';
/** The step that judges, and the check that it decides. */
export const VALIDATE = 'validate';
/** The step whose output names the report. */
export const REPORT = 'report';

/** Which code performs which task; a resumed review needs the same. */
export interface ReviewBindings {
  readonly capture: AdapterBinding;
  readonly roles: readonly AdapterBinding[];
  readonly validate: AdapterBinding;
  readonly report: AdapterBinding;
  readonly signOff: AdapterBinding;
}

/** The step in which a person takes the report, and the check that this decides. */
export const SIGN_OFF = 'sign-off';

/** Binds every step to its code and to what that depends on. */
export function bindingsOf(
  source: ReviewSource,
  scope: CaptureScope,
  roles: readonly ReviewRole[],
): ReviewBindings {
  return {
    capture: binding('tool', CAPTURE, { source: source.identity, scope: scopeJson(scope) }),
    roles: roles.map(({ role, origin, version, parameters }) =>
      binding(origin === 'model' ? 'model' : 'tool', `${ROLE_PREFIX}${role}`, {
        origin,
        version,
        parameters,
      }),
    ),
    validate: binding('verify', VALIDATE, null),
    report: binding('tool', REPORT, null),
    signOff: binding('verify', SIGN_OFF, null),
  };
}

/** The steps in their order; the roles look at the same time. */
export function tasksOf(
  bindings: ReviewBindings,
  { roleTimeoutMs, signOff }: { readonly roleTimeoutMs: number; readonly signOff: boolean },
): readonly TaskContract[] {
  const proposals = bindings.roles.map(({ name }) => name.slice(NAME_PREFIX.length));
  const harmless = { effect: 'read', repeat: 'safe' } as const;
  return [
    { task_id: CAPTURE, adapter: bindings.capture, ...harmless },
    ...bindings.roles.map(
      (adapter, index): TaskContract => ({
        task_id: proposals[index] ?? '',
        adapter,
        ...harmless,
        doubt: 'operation',
        depends_on: [CAPTURE],
        timeout_ms: roleTimeoutMs,
      }),
    ),
    {
      task_id: VALIDATE,
      adapter: bindings.validate,
      ...harmless,
      depends_on: [CAPTURE, ...proposals],
    },
    {
      task_id: REPORT,
      adapter: bindings.report,
      ...harmless,
      depends_on: [CAPTURE, ...proposals, VALIDATE],
    },
    ...(signOff
      ? [
          {
            task_id: SIGN_OFF,
            adapter: bindings.signOff,
            ...harmless,
            doubt: 'operation' as const,
            depends_on: [REPORT],
          },
        ]
      : []),
  ];
}

function binding(
  kind: AdapterBinding['kind'],
  name: string,
  parameters: JsonValue,
): AdapterBinding {
  return { kind, name: `${NAME_PREFIX}${name}`, version: '1', parameters };
}

/** What the names of the steps begin with in which roles propose. */
export const ROLE_PREFIX = 'propose.';
const NAME_PREFIX = 'millforge.review/';
