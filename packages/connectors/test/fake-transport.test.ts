import { connectorTransportConformance, fakeTransport } from '@millforge/connectors/testing';
import { test } from 'vitest';

connectorTransportConformance({
  test,
  tools: { echo: 'echo', fails: 'fails', hangs: 'hangs' },
  open: () => ({
    transport: fakeTransport({
      tools: [
        {
          provider_tool_name: 'echo',
          answer: ({ arguments: { text } }) => ({
            kind: 'answered',
            isError: false,
            text: typeof text === 'string' ? text : '',
            structured: null,
          }),
        },
        {
          provider_tool_name: 'fails',
          answer: () => ({ kind: 'answered', isError: true, text: 'no', structured: null }),
        },
        { provider_tool_name: 'hangs', answer: () => new Promise(() => {}) },
      ],
    }),
    close() {},
  }),
});
