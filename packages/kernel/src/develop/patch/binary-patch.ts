import { deflateSync } from 'node:zlib';

/** Both directions of a change of bytes that are no text, in git's own form. */
export function binaryPatch(before: Uint8Array, after: Uint8Array): string {
  return `GIT binary patch\n${literal(after)}\n${literal(before)}\n`;
}

function literal(bytes: Uint8Array): string {
  const packed = deflateSync(bytes);
  let text = `literal ${bytes.length}\n`;
  for (let at = 0; at < packed.length; at += LINE_BYTES) {
    const line = packed.subarray(at, at + LINE_BYTES);
    text += `${lengthMark(line.length)}${base85(line)}\n`;
  }
  return text;
}

/** The bytes of a line: `A` to `Z` are 1 to 26, `a` to `z` 27 to 52. */
function lengthMark(length: number): string {
  return String.fromCharCode(length <= 26 ? 64 + length : 70 + length);
}

function base85(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4) {
    let value = 0;
    for (let place = 0; place < 4; place++) value = value * 256 + (bytes[at + place] ?? 0);
    let group = '';
    for (let place = 0; place < 5; place++) {
      group = (ALPHABET[value % 85] ?? '') + group;
      value = Math.floor(value / 85);
    }
    text += group;
  }
  return text;
}

const LINE_BYTES = 52;
const ALPHABET =
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~';
