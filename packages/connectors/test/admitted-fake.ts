import {
  admitConnectorTools,
  type ConnectorAdmissionManifest,
  createAdmissionSnapshot,
  createConnectorBroker,
  createConnectorTools,
  createDiscoverySnapshot,
  draftManifest,
} from '@millforge/connectors';
import { type FakeTool, fakeTransport } from '@millforge/connectors/testing';
import {
  type Idempotency,
  type JsonObject,
  type SideEffectClass,
  type Tool,
} from '@millforge/contracts';
import { manualClock } from '@millforge/contracts/testing';

/** How the tools of a fake server are admitted; all alike. */
export interface Terms {
  readonly sideEffect?: SideEffectClass;
  readonly idempotency?: Idempotency;
  readonly connectorId?: string;
}

/** A fake server whose tools are all admitted, and the tools. */
export async function admittedFake(fakes: readonly FakeTool[], terms: Terms = {}) {
  const { sideEffect = 'network_write', idempotency = 'unknown' } = terms;
  const transport = fakeTransport({ tools: fakes });
  const clock = manualClock();
  const discovered = await transport.discover({ signal: new AbortController().signal });
  if (discovered.kind === 'failed') throw new Error(discovered.message);
  const connectorId = terms.connectorId ?? 'connector.fake';
  const snapshot = createDiscoverySnapshot({
    connector_identity: {
      connector_id: connectorId,
      discovered_at: '2026-01-01T00:00:00Z',
      ...discovered.identity,
    },
    created_at: '2026-01-01T00:00:00Z',
    provider_tools: discovered.tools,
    provider_prompts: discovered.prompts,
    provider_resources: discovered.resources,
    provider_metadata: discovered.metadata,
  });
  if (!snapshot.ok) throw new Error(snapshot.diagnostics[0]?.message ?? '');
  const draft = draftManifest(snapshot.value, { modelToolNames: [] });
  const manifest: ConnectorAdmissionManifest = {
    ...draft.manifest,
    denied_tools: [],
    selected_tools: draft.proposals.flatMap(({ selection }) =>
      selection === null
        ? []
        : [
            {
              ...selection,
              description: 'Says what it is told.',
              side_effect_class: sideEffect,
              idempotency,
              approval_policy: 'millrace_explicit' as const,
            },
          ],
    ),
  };
  const admitted = admitConnectorTools({
    snapshot: snapshot.value,
    manifest,
    policy: {
      allowed_capability_ids: manifest.selected_tools
        .flatMap((one) => one.required_capabilities)
        .slice(0, 1),
      max_description_utf8: 4096,
    },
  });
  if (!admitted.accepted) throw new Error(JSON.stringify(admitted.diagnostics));
  const { descriptors, records } = admitted;
  const admission = createAdmissionSnapshot(records, descriptors);
  const broker = createConnectorBroker({
    connectors: [{ discovery: snapshot.value, transport }],
    clock,
  });
  const tools = createConnectorTools({ admission, descriptors, broker });
  return {
    transport,
    clock,
    broker,
    admission,
    descriptors,
    records,
    tools,
    snapshot: snapshot.value,
  };
}

/** Prepares and runs one call of a tool, as the boundary of a run does. */
export async function callTool(
  tool: Tool | undefined,
  input: JsonObject = {},
  call: {
    readonly idempotencyKey?: string;
    readonly signal?: AbortSignal;
    readonly between?: () => void;
  } = {},
) {
  if (tool === undefined) throw new Error('There is no such tool.');
  const context = {
    runId: 'run_1',
    callId: 'call_1',
    workspace: null,
    signal: call.signal ?? new AbortController().signal,
    clock: manualClock(),
  };
  const prepared = await tool.implementation.prepare(input, context);
  if (prepared.kind === 'refused') return prepared;
  call.between?.();
  return prepared.run({ ...context, idempotencyKey: call.idempotencyKey ?? 'operation_1' });
}
