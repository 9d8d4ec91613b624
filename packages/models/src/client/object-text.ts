/**
 * Wraps arguments that are not a JSON object.
 *
 * Servers parse the arguments of earlier calls to fill the model's template and refuse the whole
 * conversation over one bad call. An empty object would hide from the model what it wrote.
 */
export function objectText(text: string): string {
  return isObjectText(text) ? text : JSON.stringify({ malformed_arguments: text });
}

function isObjectText(text: string): boolean {
  if (!text.trimStart().startsWith('{')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The only way to ask whether a text is JSON.
    return false;
  }
}
