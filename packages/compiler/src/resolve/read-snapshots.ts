import {
  type Diagnostic,
  isSha256,
  type ModelProfileCatalog,
  type ToolCatalog,
} from '@millforge/contracts';
import { report } from '../diagnostics.ts';
import { errorType } from '../error-type.ts';

/**
 * Tells a connector's discovery listing from a catalog; what was discovered has not been admitted.
 *
 * Membership is tested without asking for a value, so that a getter has no say.
 */
export function isDiscoveryListing(catalog: unknown): boolean {
  return (
    typeof catalog === 'object' &&
    catalog !== null &&
    DISCOVERY_MEMBERS.every((member) => member in catalog)
  );
}

const DISCOVERY_MEMBERS = ['connector_identity', 'provider_tools', 'discovery_snapshot_sha256'];

/** Reads the identity of both snapshots, each property once; at most one fault comes out. */
export function findSnapshotFaults(
  catalog: ToolCatalog,
  profiles: ModelProfileCatalog,
): readonly Diagnostic[] {
  try {
    for (const snapshot of [catalog, profiles]) {
      const id: unknown = snapshot.snapshotId;
      const sha256: unknown = snapshot.snapshotSha256;
      if (!isDigest(id) || !isDigest(sha256)) return [fault('InvalidMetadata')];
    }
    return [];
  } catch (error) {
    return [fault(errorType(error))];
  }
}

function isDigest(value: unknown): boolean {
  return typeof value === 'string' && isSha256(value);
}

function fault(errorTypeName: string): Diagnostic {
  return report.catalogMetadataInvalid({ path: '/', fields: { error_type: errorTypeName } });
}
