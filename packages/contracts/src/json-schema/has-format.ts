import type { SchemaFormat } from './schema.ts';

/** Tells whether a text has a well-known form; the time it takes grows with the text and no faster. */
export function hasFormat(text: string, format: SchemaFormat): boolean {
  const [, , test] = FORMATS[format];
  return test(text);
}

/** A text of the form. */
export function formatExample(format: SchemaFormat): string {
  return FORMATS[format][1];
}

/** What a text of the form looks like, for messages: `a date such as 2024-02-29`. */
export function formatName(format: SchemaFormat): string {
  const [name, example] = FORMATS[format];
  return `${name} such as ${example}`;
}

const FORMATS: {
  readonly [Format in SchemaFormat]: readonly [
    name: string,
    example: string,
    test: (text: string) => boolean,
  ];
} = {
  date: ['a date', '2024-02-29', isDate],
  'date-time': ['a date and time', '2024-02-29T13:05:00Z', isDateTime],
  time: ['a time with its offset', '13:05:00Z', isTime],
  email: ['an email address', 'name@example.com', isEmail],
  uri: ['an absolute URI', 'https://example.com/', isUri],
  uuid: ['a UUID', '00000000-0000-4000-8000-000000000000', (text) => UUID.test(text)],
  ipv4: ['an IPv4 address', '192.0.2.1', (text) => IPV4.test(text)],
  ipv6: ['an IPv6 address', '2001:db8::1', isIpv6],
  hostname: ['a host name', 'example.com', isHostname],
};

/** RFC 3339, full-date. */
function isDate(text: string): boolean {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0);
  return day >= 1 && day <= days;
}

/** RFC 3339, full-time: the offset is not optional, and a leap second ends a day of UTC. */
function isTime(text: string): boolean {
  const match = TIME.exec(text);
  if (match === null) return false;
  const [, hour = 0, minute = 0, second = 0, , offsetHour = 0, offsetMinute = 0] = match.map(
    (part: string | undefined) => Number(part ?? 0),
  );
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false;
  const direction = match[4] === '-' ? 1 : -1;
  const local = hour * 60 + minute;
  const inUtc = (local + direction * (offsetHour * 60 + offsetMinute) + 2880) % 1440;
  return second < 60 || inUtc === 1439;
}

function isDateTime(text: string): boolean {
  return (
    (text[10] === 'T' || text[10] === 't') && isDate(text.slice(0, 10)) && isTime(text.slice(11))
  );
}

/** The dot-atom form of RFC 5321; quoted local parts and address literals are not taken. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at < 1 || at > 64 || text.length > 254) return false;
  return LOCAL_PART.test(text.slice(0, at)) && isHostname(text.slice(at + 1));
}

/** RFC 1123. */
function isHostname(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => LABEL.test(label));
}

/** RFC 4291, without a zone. */
function isIpv6(text: string): boolean {
  if (text.length > 45) return false;
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')));
  const all = groups.flat();
  const last = all.at(-1) ?? '';
  // A trailing "::" leaves no room for the dotted form at the end.
  const hasDotted = last.includes('.') && !text.endsWith('::');
  const isEach = all.every(
    (group, index) =>
      GROUP.test(group) || (hasDotted && index === all.length - 1 && IPV4.test(group)),
  );
  const count = all.length + (hasDotted ? 1 : 0);
  return isEach && (halves.length === 2 ? count < 8 : count === 8);
}

/** RFC 3986, with a scheme. */
function isUri(text: string): boolean {
  const match = URI.exec(text);
  if (match === null || BROKEN_PERCENT.test(text)) return false;
  const literal = match[1];
  return literal === undefined || isIpv6(literal) || FUTURE.test(literal);
}

/** Unreserved characters, delimiters inside parts, and what a part takes besides. */
function uriCharacters(besides: string): string {
  return `[\\w.~!$&'()*+,;=%${besides}-]*`;
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[zZ]|([+-])(\d\d):(\d\d))$/;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const GROUP = /^[\da-f]{1,4}$/i;
const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const FUTURE = /^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i;
const PATH = uriCharacters(':@/');
const QUERY = uriCharacters(':@/?');
// No two parts that follow each other without a mark take the same characters, so nothing is tried twice.
const AUTHORITY = `(?:${uriCharacters(':')}@)?(?:\\[([^\\]]*)\\]|${uriCharacters('')})(?::\\d*)?`;
const URI = new RegExp(
  `^[A-Za-z][A-Za-z\\d+.-]*:(?://${AUTHORITY}(?:/${PATH})?|(?!//)${PATH})(?:\\?${QUERY})?(?:#${QUERY})?$`,
);
const BROKEN_PERCENT = /%(?![\da-f]{2})/i;
