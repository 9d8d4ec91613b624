/** A call as the model meant it: the tool `write` of the tests, with texts and a number. */
export interface Meant {
  readonly path: string;
  readonly content: string;
  readonly line: number;
}

/** The ways to write a call into a text, each the way its family of models does. */
export const DIALECTS: { readonly [name: string]: (meant: Meant) => string } = {
  json: (meant) => call(meant),
  parameters: (meant) => JSON.stringify({ name: 'write', parameters: meant }),
  fence: (meant) => `\`\`\`json\n${call(meant)}\n\`\`\``,
  list: (meant) => `[${call(meant)}]`,
  envelope: (meant) =>
    JSON.stringify({
      tool_calls: [{ function: { name: 'write', arguments: JSON.stringify(meant) } }],
    }),
  hermes: (meant) => `<tool_call>\n${call(meant)}\n</tool_call>`,
  mistral: (meant) => `[TOOL_CALLS]write${JSON.stringify(meant)}`,
  mistralWithId: (meant) => `[TOOL_CALLS]write[CALL_ID]a1b2c3d4e[ARGS]${JSON.stringify(meant)}`,
  rehearsal: (meant) => `write[ARGS]${JSON.stringify(meant)}`,
  name: (meant) => `write(${JSON.stringify(meant)})`,
  python: (meant) => `write(${keywords(meant)})`,
  liquid: (meant) => `<|tool_call_start|>[write(${keywords(meant)})]<|tool_call_end|>`,
  toolCode: (meant) => `\`\`\`tool_code\nwrite(${keywords(meant)})\n\`\`\``,
  functionary: (meant) => `>>>write\n${JSON.stringify(meant)}`,
  llama: (meant) => `<|python_tag|>${JSON.stringify({ name: 'write', parameters: meant })}`,
  kimi: (meant) =>
    `<|tool_calls_section_begin|><|tool_call_begin|>functions.write:0<|tool_call_argument_begin|>${JSON.stringify(meant)}<|tool_call_end|><|tool_calls_section_end|>`,
  deepseek: (meant) =>
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>write\n\`\`\`json\n${JSON.stringify(meant)}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  harmony: (meant) =>
    `<|channel|>commentary to=functions.write <|constrain|>json<|message|>${JSON.stringify(meant)}<|call|>`,
  react: (meant) => `Thought: I write.\nAction: write\nAction Input: ${JSON.stringify(meant)}`,
  functionJson: (meant) => `<function=write>${JSON.stringify(meant)}</function>`,
};

/** Dialects that write values without quotes; a value with a tag in it cannot be told from the tag. */
export const UNQUOTED: { readonly [name: string]: (meant: Meant) => string } = {
  qwen: (meant) =>
    `<tool_call>\n<function=write>\n${tags(meant, (key, value) => `<parameter=${key}>\n${value}\n</parameter>`)}\n</function>\n</tool_call>`,
  invoke: (meant) =>
    `<invoke name="write">\n${tags(meant, (key, value) => `<parameter name="${key}">\n${value}\n</parameter>`)}\n</invoke>`,
  glm: (meant) =>
    `<tool_call>write\n${tags(meant, (key, value) => `<arg_key>${key}</arg_key>\n<arg_value>\n${value}\n</arg_value>`)}\n</tool_call>`,
  tool: (meant) =>
    `<write>\n${tags(meant, (key, value) => `<${key}>\n${value}\n</${key}>`)}\n</write>`,
};

function call(meant: Meant): string {
  return JSON.stringify({ name: 'write', arguments: meant });
}

function keywords(meant: Meant): string {
  return Object.entries(meant)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(', ');
}

function tags(meant: Meant, tag: (key: string, value: string) => string): string {
  return Object.entries(meant)
    .map(([key, value]) => tag(key, String(value)))
    .join('\n');
}
