/**
 * Parts of a text that speak to the model instead of about the tool, at most eight.
 *
 * A screen for people who read descriptions, no boundary: whoever wants to get past it will. What holds is
 * that no text of a server reaches a model that an operator has not read and pinned.
 */
export function findInstructions(text: string): readonly string[] {
  const found: string[] = [];
  for (const match of text.slice(0, MAX_LOOKED_AT).matchAll(SCREEN)) {
    found.push(match[0].slice(0, 80));
    if (found.length === 8) break;
  }
  return found;
}

const MAX_LOOKED_AT = 65_536;
const SCREEN =
  /\b(?:ignore|override|system prompt|developer message|previous instructions|follow these instructions|you must|do not tell)\b|<(?:important|system|instructions?)>|[\u200b-\u200f\u202a-\u202e\u2060-\u2064]|[\u{e0000}-\u{e007f}]/giu;
