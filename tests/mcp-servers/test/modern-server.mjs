// A server on the official library: speaks the stable protocol, and the one before to whoever asks for it.
import { appendFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [, , legacy = 'serve', log = ''] = process.argv;
serveStdio(
  () => {
    const server = new McpServer(
      { name: 'modern', version: '2.0.0' },
      { capabilities: { tools: { listChanged: true } } },
    );
    server.registerTool(
      'echo',
      { description: 'Says it back.', inputSchema: z.strictObject({ text: z.string() }) },
      async ({ text }) => ({ content: [{ type: 'text', text }] }),
    );
    server.registerTool(
      'hangs',
      { description: 'Never answers.', inputSchema: z.strictObject({}) },
      async () => {
        if (log !== '') appendFileSync(log, 'called\n');
        return new Promise(() => {});
      },
    );
    server.registerTool(
      'grows',
      { description: 'Gets a sister.', inputSchema: z.strictObject({}) },
      async () => {
        server.registerTool(
          'sister',
          { description: 'New.', inputSchema: z.strictObject({}) },
          async () => ({ content: [] }),
        );
        return { content: [{ type: 'text', text: 'grown' }] };
      },
    );
    return server;
  },
  { legacy },
);
