// The tools of Pi. PI_CODING_AGENT_DIR names the folder whose bin has rg and fd.
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { hostOptions } from './host-options.mjs';
import { imageLine } from './image-line.mjs';
import { serve } from './serve.mjs';

/** Where a call tells the tool that its model takes text only. */
const BLIND = { model: { input: ['text'] } };
const create = await findTools();
const { validateToolArguments: validate } = await import(validation());

await serve(async ({ tool: name, input, cwd, shell, host, isRaw }, signal) => {
  const updates = [];
  const onUpdate = ({ content }) => updates.push(content.map((part) => part.text).join(''));
  try {
    const own = shell === undefined ? {} : { shellPath: shell };
    const read = { autoResizeImages: host !== 'unscaled' };
    const options = { bash: { ...own, ...hostOptions(host) }, read };
    const tool = create(name, cwd, { options, isDefinition: host === 'blind' });
    const prepared = tool.prepareArguments && !isRaw ? tool.prepareArguments(input) : input;
    const { content, details } = await tool.execute(
      'id',
      host === 'check' ? validate(tool, { name, arguments: prepared }) : prepared,
      signal,
      host === 'watch' ? onUpdate : undefined,
      host === 'blind' ? BLIND : undefined,
    );
    const text = content.map((part) => part.text ?? imageLine(part.mimeType, part.data)).join('\n');
    const seen = updates.map((update) => `saw ${JSON.stringify(update)}\n`).join('');
    return { isError: false, text: seen + text, details: detailsOf(name, details) };
  } catch (error) {
    return { isError: true, text: error.message, details: {} };
  }
});

/** What both sides say besides the text. */
function detailsOf(name, details) {
  if (name === 'edit') {
    const { diff, patch, firstChangedLine } = details;
    return { diff, patch, firstChangedLine };
  }
  if (name === 'write') return {};
  const limits = ['truncation', 'matchLimitReached', 'resultLimitReached', 'entryLimitReached'];
  return { truncated: limits.some((limit) => details?.[limit] !== undefined) };
}

/** Where the loop of Pi's agent has its check of arguments, which no root of its packages exports on every Node. */
function validation() {
  const here = dirname(fileURLToPath(import.meta.url));
  const pi = realpathSync(join(here, '../node_modules/@earendil-works/pi-coding-agent'));
  return pathToFileURL(join(pi, '../pi-ai/dist/utils/validation.js')).href;
}

/** Makes a tool of Pi by its name: from its root where this Node can load that, else from the file of its tools. */
async function findTools() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) {
    const pi = await import('@earendil-works/pi-coding-agent');
    return (name, cwd, { options, isDefinition }) => {
      const kind = `${name[0].toUpperCase()}${name.slice(1)}Tool${isDefinition ? 'Definition' : ''}`;
      return pi[`create${kind}`](cwd, options[name]);
    };
  }
  const here = dirname(fileURLToPath(import.meta.url));
  const folder = join(here, '../node_modules/@earendil-works/pi-coding-agent');
  const pi = await import(pathToFileURL(join(folder, 'dist/core/tools/index.js')).href);
  return (name, cwd, { options, isDefinition }) =>
    (isDefinition ? pi.createToolDefinition : pi.createTool)(name, cwd, options);
}
