import type { Diagnostic } from '@millforge/contracts';
import { found } from '../diagnostics.ts';
import { childPath } from '../documents/field-reader.ts';
import { findIdentityMismatch, identityDigest } from '../identity/connector-identity.ts';
import type { AdmissionDocuments } from './admission-documents.ts';

/** Checks what holds for the connector as a whole, before any tool is looked at. */
export function checkConnector(documents: AdmissionDocuments): readonly Diagnostic[] {
  return [
    ...checkIdentity(documents),
    ...checkPolicy(documents),
    ...checkDiscovery(documents),
    ...checkDenials(documents),
    ...checkContext(documents),
  ];
}

function checkIdentity({ snapshot, manifest }: AdmissionDocuments): readonly Diagnostic[] {
  const { connector_identity: identity } = snapshot;
  const diagnostics: Diagnostic[] = [];
  if (manifest.connector_id !== identity.connector_id) {
    const fields = {
      manifest_connector_id: manifest.connector_id,
      snapshot_connector_id: identity.connector_id,
    };
    diagnostics.push(found.identity.connectorIdMismatch({ path: '/connector_id', fields }));
  }
  const field = findIdentityMismatch(identity, manifest.expected_identity);
  if (field !== null) {
    const fields = {
      field,
      expected: manifest.expected_identity[field] ?? 'none',
      actual: identity[field] ?? 'none',
    };
    diagnostics.push(
      found.identity.expectedIdentityMismatch({ path: '/expected_identity', fields }),
    );
  }
  const expected = manifest.expected_connector_identity_sha256;
  const actual = identityDigest(identity);
  if (expected !== null && expected !== actual) {
    const path = '/expected_connector_identity_sha256';
    const fields = { hash: 'connector_identity_sha256', expected, actual };
    diagnostics.push(found.admission.hashMismatch({ path, fields }));
  }
  return diagnostics;
}

function checkPolicy({ snapshot, policy }: AdmissionDocuments): readonly Diagnostic[] {
  const { protocol, transport_kind: kind } = snapshot.connector_identity;
  return [
    ...(policy.allowed_protocols.includes(protocol)
      ? []
      : [found.policy.protocolUnsupported({ path: '/allowed_protocols', fields: { protocol } })]),
    ...(policy.allowed_transport_kinds.includes(kind)
      ? []
      : [
          found.policy.transportUnsupported({
            path: '/allowed_transport_kinds',
            fields: { transport_kind: kind },
          }),
        ]),
  ];
}

function checkDiscovery({ snapshot, manifest }: AdmissionDocuments): readonly Diagnostic[] {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { provider_tool_name: name } of snapshot.provider_tools) {
    (seen.has(name) ? repeated : seen).add(name);
  }
  const diagnostics = [...repeated].map((name) =>
    found.discovery.duplicateProviderTool({
      path: '/provider_tools',
      fields: { provider_tool_name: name },
    }),
  );
  const expected = manifest.expected_discovery_snapshot_sha256;
  const actual = snapshot.discovery_snapshot_sha256;
  if (expected === null || expected === actual) return diagnostics;
  const path = '/expected_discovery_snapshot_sha256';
  const fields = { hash: 'discovery_snapshot_sha256', expected, actual };
  return [...diagnostics, found.admission.hashMismatch({ path, fields })];
}

function checkDenials({ snapshot, manifest }: AdmissionDocuments): readonly Diagnostic[] {
  const names = new Set(snapshot.provider_tools.map((tool) => tool.provider_tool_name));
  return manifest.denied_tools.flatMap((denied) => {
    const { provider_tool_name: name } = denied;
    const path = childPath('/denied_tools', name);
    const fault = (place: string, reason: string): Diagnostic => {
      const fields = { provider_tool_name: name, reason };
      return found.manifest.deniedToolInvalid({ path: place, fields });
    };
    return [
      ...(names.has(name) ? [] : [fault(path, 'the server does not have it')]),
      ...(denied.approval_policy === 'forbidden'
        ? []
        : [fault(`${path}/approval_policy`, 'its approval must be forbidden')]),
    ];
  });
}

function checkContext({ snapshot, manifest }: AdmissionDocuments): readonly Diagnostic[] {
  const { provider_prompts: prompts, provider_resources: resources } = snapshot;
  return [
    ...manifest.admitted_prompts
      .filter((name) => !prompts.includes(name))
      .map((name) => missing('prompt', name)),
    ...manifest.admitted_resources
      .filter((name) => !resources.includes(name))
      .map((name) => missing('resource', name)),
  ];
}

function missing(kind: 'prompt' | 'resource', name: string): Diagnostic {
  return found.admission.promptOrResourceMissing({
    path: childPath(`/admitted_${kind}s`, name),
    fields: { kind, name },
  });
}
