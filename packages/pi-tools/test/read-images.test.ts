import { truncate, writeFile } from 'node:fs/promises';
import type { ToolResult } from '@millforge/contracts';
import type { PiToolOptions } from '@millforge/pi-tools';
import { expect, test } from 'vitest';
import { bitmap, decoded, type Pixel, png, turnedJpeg } from './made-images.ts';
import { textOf, toolWorld } from './tool-world.ts';

const OMITTED = '[Image omitted: could not be resized below the inline image size limit.]';
const leftIsRed: Pixel = (x) => (x < 1050 ? [250, 0, 0] : [0, 0, 250]);
const grey: Pixel = () => [120, 120, 120];

async function read(bytes: Buffer | string, options: PiToolOptions = {}): Promise<ToolResult> {
  const world = await toolWorld(options);
  await writeFile(world.path('f'), bytes);
  return world.call('read', { path: 'f', offset: 7, limit: 1 });
}

function imageOf(result: ToolResult) {
  const images = result.kind === 'done' ? (result.images ?? []) : [];
  expect(images.length).toBeLessThan(2);
  return images[0] ?? null;
}

test.each(['default', 'strict'] as const)(
  'shows a small image byte for byte in the %s profile, and says nothing of what a model can see (KB-19)',
  async (profile) => {
    const bytes = png(4, 3, grey);
    const result = await read(bytes, { profile });
    expect(textOf(result)).toBe('Read image file [image/png]');
    expect(imageOf(result)).toEqual({ mediaType: 'image/png', data: bytes.toString('base64') });
  },
);

test.each([
  [[2000, 10], [2000, 10], null],
  [[2001, 10], [2000, 10], '1.00'],
  [[2400, 100], [2000, 83], '1.20'],
  [[10, 2001], [10, 2000], '1.00'],
] as const)('shows an image of %j as one of %j', async ([width, height], size, scale) => {
  const result = await read(png(width, height, grey));
  const [w, h] = size;
  const note = `\n[Image: original ${width}x${height}, displayed at ${w}x${h}. Multiply coordinates by ${scale} to map to original image.]`;
  expect(textOf(result)).toBe(`Read image file [image/png]${scale === null ? '' : note}`);
  expect(decoded(imageOf(result)?.data ?? '').size).toEqual(size);
});

test('shows as a photograph what is too large for a drawing', { tags: ['slow'] }, async () => {
  let seed = 1;
  const noise = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (seed >> 16) & 255;
  };
  const result = await read(png(1600, 1600, () => [noise(), noise(), noise()]));
  const image = imageOf(result);
  expect(textOf(result)).toContain('displayed at 1600x1600');
  expect(image?.mediaType).toBe('image/jpeg');
  expect(image?.data.length).toBeLessThan(4.5 * 1024 * 1024);
});

test('turns a photograph as its camera was held, past a segment about something else (KB-50)', async () => {
  const result = await read(turnedJpeg([2100, 300], 6, leftIsRed));
  expect(textOf(result)).toContain('original 300x2100, displayed at 286x2000');
  const { size, at } = decoded(imageOf(result)?.data ?? '');
  expect(size).toEqual([286, 2000]);
  const [[topRed = 0], [bottomRed = 0]] = [at(140, 100), at(140, 1900)];
  expect(topRed).toBeGreaterThan(200);
  expect(bottomRed).toBeLessThan(50);
});

test('shows a bitmap as a drawing, which models know (KB-18)', async () => {
  const result = await read(bitmap(6, 5));
  expect(textOf(result)).toContain('original 6x5, displayed at 6x5. Multiply coordinates by 1.00');
  const image = imageOf(result);
  expect(image?.mediaType).toBe('image/png');
  expect(decoded(image?.data ?? '').size).toEqual([6, 5]);
});

test('says that a broken image cannot be shown', async () => {
  const result = await read(png(40, 40, grey).subarray(0, 60));
  expect(textOf(result)).toBe(`Read image file [image/png]\n${OMITTED}`);
  expect(imageOf(result)).toBeNull();
});

test('reads as text what begins like an image and is none (KB-15)', async () => {
  const text = 'GIF89a is a format of images.\n';
  const world = await toolWorld();
  await writeFile(world.path('f'), text);
  expect(textOf(await world.call('read', { path: 'f' }))).toBe(text);
  expect(textOf(await read(text, { profile: 'strict' }))).toBe(
    `Read image file [image/gif]\n${OMITTED}`,
  );
});

test('unpacks no image of more than a hundred million pixels', async () => {
  const bytes = png(4, 4, grey);
  bytes.writeUInt32BE(60_000, 16);
  bytes.writeUInt32BE(60_000, 20);
  const before = process.memoryUsage().rss;
  expect(textOf(await read(bytes))).toBe(`Read image file [image/png]\n${OMITTED}`);
  expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 * 1024);
});

test('reads no image of more than 64 MiB', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), png(4, 4, grey));
  await truncate(world.path('f'), 65 * 1024 * 1024);
  expect(textOf(await world.call('read', { path: 'f' }))).toContain(OMITTED);
});

test('shows what the file holds, unchecked, where the host wants that', async () => {
  const bytes = png(2100, 10, grey).subarray(0, 90);
  const result = await read(bytes, { autoResizeImages: false });
  expect(textOf(result)).toBe('Read image file [image/png]');
  expect(imageOf(result)?.data).toBe(bytes.toString('base64'));
});

test('a stop ends the decoder with the call', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), png(3000, 2000, grey));
  const stop = new AbortController();
  const asked = world.call('read', { path: 'f' }, { signal: stop.signal });
  setImmediate(() => stop.abort());
  expect(await asked).toMatchObject({
    kind: 'failed',
    code: 'cancelled',
    text: 'Operation aborted',
  });
  const handles = process.getActiveResourcesInfo().filter((name) => name === 'Worker');
  expect(handles).toEqual([]);
});
