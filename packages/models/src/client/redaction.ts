import { createRedactor, type Redactor } from '@millforge/contracts';

/** Takes the secrets out of a text that came from outside. */
export type Redact = (text: string) => string;

/** Makes the redaction of one exchange: the key in every form in which it could come back, then shapes. */
export function createRedaction(key: string | null, redactor: Redactor | undefined): Redact {
  // The redactor adds the escaped forms of JSON and of URL queries itself.
  const secrets = key === null ? [] : [key, encodeURI(key), btoa(key)];
  const known = createRedactor({ secrets });
  return (text) => {
    const clean = known.text(text);
    return redactor === undefined ? clean : redactor.text(clean);
  };
}
