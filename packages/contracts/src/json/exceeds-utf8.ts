/** Reports whether the UTF-8 form of a well-formed text takes more than so many bytes, without making it. */
export function exceedsUtf8(value: string, limit: number): boolean {
  if (value.length * 3 <= limit) return false;
  if (value.length > limit) return true;
  let bytes = 0;
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    // Each half of a surrogate pair stands for two of the pair's four bytes.
    if (code < 0x80) bytes += 1;
    else if (code < 0x800 || isSurrogate(code)) bytes += 2;
    else bytes += 3;
  }
  return bytes > limit;
}

/** Reports whether a UTF-16 unit is half of a pair. */
export function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}
