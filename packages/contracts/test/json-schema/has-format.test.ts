import { expect, test } from 'vitest';
import { hasFormat } from '../../src/json-schema/has-format.ts';
import { SCHEMA_FORMATS, type SchemaFormat } from '../../src/json-schema/schema.ts';
import { cpuTimeOf } from './cpu-time.ts';

const CASES: {
  readonly [Format in SchemaFormat]: { yes: readonly string[]; no: readonly string[] };
} = {
  date: {
    yes: ['2024-02-29', '2000-02-29', '0001-01-01', '2023-12-31'],
    no: [
      '2023-02-29',
      '1900-02-29',
      '2024-13-01',
      '2024-00-10',
      '2024-04-31',
      '2024-1-1',
      '2024-01-00',
      '2024-01-01\n',
      '',
    ],
  },
  time: {
    yes: [
      '00:00:00Z',
      '23:59:59.123456z',
      '13:05:00+05:30',
      '23:59:60Z',
      '15:59:60-08:00',
      '00:29:60+00:30',
    ],
    no: [
      '13:05:00',
      '24:00:00Z',
      '13:60:00Z',
      '12:00:60Z',
      '13:05:61Z',
      '13:05Z',
      '13:05:00+24:00',
      '13:05:00+05:60',
      '13:05:00.Z',
      ' 13:05:00Z',
    ],
  },
  'date-time': {
    yes: ['2024-02-29T13:05:00Z', '2024-02-29t13:05:00.5+01:00', '2016-12-31T23:59:60Z'],
    no: [
      '2024-02-30T13:05:00Z',
      '2024-02-29 13:05:00Z',
      '2024-02-29T13:05:00',
      '2024-02-29',
      '2024-02-29T',
    ],
  },
  email: {
    yes: ['a@b', 'a.b+c@example.com', "o'neil@x-y.example", `${'a'.repeat(64)}@b.c`],
    no: [
      'a',
      '@b',
      'a@',
      'a b@c',
      '.a@b',
      'a.@b',
      'a..b@c',
      'a@-b',
      'a@b..c',
      'a@b@c',
      `${'a'.repeat(65)}@b.c`,
      `a@${'b.'.repeat(130)}c`,
      'ä@b.c',
    ],
  },
  uri: {
    yes: [
      'https://example.com/a?b=c#d',
      'mailto:a@b.c',
      'urn:isbn:1',
      'http://[::1]:80/',
      'file:///a/b',
      'ftp://u:p@h:21/x',
      'a:',
      'http://[v1.x]/',
      'http://a/%20',
    ],
    no: [
      'example.com',
      '/a/b',
      '//host/a',
      'http://a b',
      'http://a/%2',
      'http://a/%zz',
      'http://[::1',
      'http://[:::1]/',
      'http://h:port/',
      '1a:b',
      'http://a/#b#c',
      'http://a\\b',
      'http://ä/',
      'http://a/<b>',
      '',
    ],
  },
  uuid: {
    yes: [
      '123e4567-e89b-12d3-a456-426614174000',
      '00000000-0000-0000-0000-000000000000',
      'ABCDEF01-2345-6789-abcd-ef0123456789',
    ],
    no: [
      '123e4567e89b12d3a456426614174000',
      '{123e4567-e89b-12d3-a456-426614174000}',
      '123e4567-e89b-12d3-a456-42661417400g',
      '',
    ],
  },
  ipv4: {
    yes: ['0.0.0.0', '255.255.255.255', '127.0.0.1'],
    no: ['256.0.0.1', '01.2.3.4', '1.2.3', '1.2.3.4.5', '1.2.3.4 ', '0x7f.0.0.1', '١.2.3.4'],
  },
  ipv6: {
    yes: [
      '::',
      '::1',
      '1::',
      '1:2:3:4:5:6:7:8',
      '1:2:3:4:5:6:7::',
      '::2:3:4:5:6:7:8',
      'fe80::1:2',
      '::ffff:1.2.3.4',
      '1:2:3:4:5:6:1.2.3.4',
      'ABCD::',
    ],
    no: [
      '',
      ':',
      ':::',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '1::2::3',
      '1:2:3:4:5:6:7:8::',
      '12345::',
      'g::',
      '1.2.3.4',
      '1:2:3:4:5:6:7:1.2.3.4',
      '1.2.3.4::',
      '::1.2.3.4:5',
      'fe80::1%eth0',
      '1:',
      ':1',
      '::1:',
      '1.2.3.4::1',
    ],
  },
  hostname: {
    yes: ['a', 'example.com', 'xn--bcher-kva.example', '1.2', `${'a'.repeat(63)}.b`],
    no: [
      '',
      '-a',
      'a-',
      'a..b',
      '.a',
      'a.',
      'a_b',
      `${'a'.repeat(64)}.b`,
      `${'a.'.repeat(127)}ab`,
      'ä.b',
    ],
  },
};

test.each(
  SCHEMA_FORMATS.flatMap((format) => CASES[format].yes.map((text) => [format, text] as const)),
)('finds %s in %j', (format, text) => {
  expect(hasFormat(text, format)).toBe(true);
});

test.each(
  SCHEMA_FORMATS.flatMap((format) => CASES[format].no.map((text) => [format, text] as const)),
)('does not find %s in %j', (format, text) => {
  expect(hasFormat(text, format)).toBe(false);
});

test.each(SCHEMA_FORMATS)('decides on %s in linear time', (format) => {
  const pieces = ['a', 'a.', '1:', ':', '::1', 'a@', '%41', 'a:', '1.', '-', '0', '://', '[', '#'];
  const spent = cpuTimeOf(() => {
    for (const piece of pieces) {
      const long = piece.repeat(100_000);
      for (const text of [
        long,
        `a:${long}`,
        `http://${long}`,
        `${long}\n`,
        `a@${long}`,
        `00:00:00.${long}`,
      ]) {
        hasFormat(text, format);
      }
    }
  });
  expect(spent).toBeLessThan(2000);
});
