import { createHash } from 'node:crypto';

/** An image in one line: its kind, and its bytes by their digest. */
export function imageLine(mediaType, data) {
  return `<${mediaType} ${createHash('sha256').update(data).digest('hex')}>`;
}
