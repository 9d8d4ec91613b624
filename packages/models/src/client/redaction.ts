import { createRedactor, type Redactor } from '@millforge/contracts';

/** Takes the secrets out of a text that came from outside. */
export type Redact = (text: string) => string;

/** Makes the redaction of one exchange: the key in every form in which it could come back, then shapes. */
export function createRedaction(key: string | null, redactor: Redactor | undefined): Redact {
  const secrets = key === null ? [] : forms(key);
  const known = createRedactor({ secrets });
  return (text) => {
    const clean = known.text(text);
    return redactor === undefined ? clean : redactor.text(clean);
  };
}

function forms(key: string): readonly string[] {
  const quoted = JSON.stringify(key).slice(1, -1);
  return [...new Set([key, quoted, encodeURIComponent(key), btoa(key)])];
}
