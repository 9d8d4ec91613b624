/**
 * Text as a harness may hold it: line feeds at line ends, and no control characters or halves of
 * characters, each of which is shown as U+FFFD.
 */
export function plainText(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(UNFIT, '\uFFFD');
}

const UNFIT = /[^\P{Cc}\t\n]|\p{Cs}/gu;
