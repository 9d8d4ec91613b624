// The service lists its tools at /tools and performs a call that is posted to /calls. The port of Millforge is
// made of plain objects, so nothing is imported at run time.

/** @type {import('./index.d.ts').ticketTransport} */
export function ticketTransport({ url, version }) {
  let isClosed = false;
  const closed = { kind: 'failed', reason: 'lost', sent: false, message: 'The connector is closed.' };

  const ask = async (path, init) => {
    if (isClosed) return closed;
    let sent = false;
    try {
      init.signal.throwIfAborted();
      sent = true;
      const response = await fetch(new URL(path, url), { redirect: 'error', ...init });
      const body = await response.json();
      return response.ok ? { kind: 'body', body } : { kind: 'refused', body };
    } catch (error) {
      if (init.signal.aborted) return { kind: 'failed', reason: 'stopped', sent, message: 'Stopped.' };
      // Only a connection that was refused is known to have carried nothing.
      const nothing = error.cause?.code === 'ECONNREFUSED';
      const message = 'The ticket service cannot be reached.';
      return { kind: 'failed', reason: 'lost', sent: !nothing, message };
    }
  };

  return {
    async discover({ signal }) {
      const answer = await ask('/tools', { signal });
      if (answer.kind === 'failed') return answer;
      return {
        kind: 'discovered',
        identity: {
          protocol: 'tickets.http',
          protocol_version: '1',
          transport_kind: 'http',
          implementation_name: 'tickets',
          implementation_version: version,
          implementation_digest: null,
          server_reported_name: null,
          server_reported_version: null,
          configured_secret_refs: [],
        },
        tools: answer.body.tools.map((tool) => ({
          provider_tool_name: tool.name,
          provider_description: tool.about,
          input_schema: tool.input,
          output_schema: tool.output ?? null,
          provider_annotations: {},
        })),
        prompts: [],
        resources: [],
        metadata: {},
      };
    },
    async call(request, { signal }) {
      const answer = await ask('/calls', {
        signal,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          // Under the same key the service answers a repeated call without performing it again.
          ...(request.idempotency_key === null ? {} : { 'idempotency-key': request.idempotency_key }),
        },
        body: JSON.stringify({ tool: request.provider_tool_name, input: request.arguments }),
      });
      if (answer.kind === 'failed') return answer;
      const { text = '', data = null, error } = answer.body;
      if (error === 'unknown-tool') return { kind: 'rejected', reason: 'unknown-tool', message: error };
      const isError = answer.kind === 'refused';
      return { kind: 'answered', isError, text: isError ? error : text, structured: data };
    },
    // The service tells of no change; what is known of it gets old, and is asked for again.
    onChange() {},
    async [Symbol.asyncDispose]() {
      isClosed = true;
    },
  };
}
