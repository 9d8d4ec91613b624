import {
  type ConnectorAdmissionManifest,
  type ConnectorDiscoverySnapshot,
  type DiscoveryChange,
  diffDiscoveries,
  diffManifests,
  readAdmissionManifest,
  readDiscoverySnapshot,
} from '@millforge/connectors';
import type { Diagnostic } from '@millforge/contracts';
import { readAdmission } from './admission-document.ts';
import type { ConnectorFolder } from './connector-folder.ts';

/** Whether nothing stands against an admission but pins of what was there before. */
export function isOnlyPinned(diagnostics: readonly Diagnostic[]): boolean {
  return (
    diagnostics.length > 0 &&
    diagnostics.every(({ code, path }) => {
      // A schema of the manifest that is not the server's is no pin.
      const isPin = code === 'MF-C021_HASH_MISMATCH' && path.includes('/expected_');
      return isPin || code === 'MF-C007_EXPECTED_IDENTITY_MISMATCH';
    })
  );
}

/**
 * What a person has to look at before what is there is pinned anew: what the server and the manifest say
 * differently than the admission that is in force. Null where none is.
 */
export async function changesSinceAdmission(
  folder: ConnectorFolder,
  now: {
    readonly discovery: ConnectorDiscoverySnapshot;
    readonly manifest: ConnectorAdmissionManifest;
  },
): Promise<readonly DiscoveryChange[] | null> {
  if (!(await folder.has('admission.json'))) return null;
  const admitted = await readAdmission(folder).catch(() => null);
  const discovery = readDiscoverySnapshot(admitted?.discovery);
  const manifest = readAdmissionManifest(admitted?.manifest);
  if (!discovery.ok || !manifest.ok) return null;
  return [
    ...diffDiscoveries(discovery.value, now.discovery),
    ...diffManifests(manifest.value, now.manifest),
  ];
}
