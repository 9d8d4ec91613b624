import type { HarnessInput } from '@millforge/compiler';
import {
  type CapabilityGrant,
  type Diagnostic,
  type MillforgeError,
  type ModelProfileCatalog,
  toDiagnosticJson,
} from '@millforge/contracts';
import { missingGrants } from './admit-run.ts';
import type { Millforge } from './millforge.ts';
import { millforgeError } from './millforge-error.ts';
import type { RunRequest } from './run-request.ts';

/**
 * Compiles a harness for a model that the caller hands over itself.
 *
 * @throws `millforge/grants-missing` when nothing but grants is missing; `millforge/document` otherwise, with
 * the diagnostics as details.
 */
export function compileForRun(
  millforge: Pick<Millforge, 'compile'>,
  harness: HarnessInput,
  grants: readonly (string | CapabilityGrant)[],
): RunRequest['plan'] {
  const compiled = millforge.compile(harness, { profiles: ANY_PROFILE, request: { grants } });
  if (!compiled.ok) throw refusal(compiled.diagnostics);
  return { bytes: new TextDecoder().decode(compiled.bytes), sha256: compiled.sha256 };
}

function refusal(diagnostics: readonly Diagnostic[]): MillforgeError {
  const missing = diagnostics.flatMap(({ code, fields = [] }) =>
    code === 'MF-C001'
      ? fields.filter(({ key }) => key === 'capability_id').map(({ value }) => String(value))
      : [],
  );
  if (missing.length > 0 && missing.length === diagnostics.length) return missingGrants(missing);
  const [first] = diagnostics;
  return millforgeError(
    'millforge/document',
    `The harness does not compile: ${first === undefined ? '' : `${first.code} ${first.message}`}`,
    { details: { diagnostics: diagnostics.map((diagnostic) => toDiagnosticJson(diagnostic)) } },
  );
}

// The caller hands the model over itself, so every profile name that a harness may state is it.
const ANY_PROFILE: ModelProfileCatalog = {
  snapshotId: '0'.repeat(64),
  snapshotSha256: '0'.repeat(64),
  resolveExact: (profileId) => ({ classification: 'found', entry: { profile_id: profileId } }),
};
