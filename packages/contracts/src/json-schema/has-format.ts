import type { SchemaFormat } from './schema.ts';

/** Tells whether a text has a well-known form; the time it takes grows with the text and no faster. */
export function hasFormat(text: string, format: SchemaFormat): boolean {
  return FORMATS[format].test(text);
}

/** What a text of the form looks like, for messages: `a date such as 2024-02-29`. */
export function formatName(format: SchemaFormat): string {
  return FORMATS[format].name;
}

const FORMATS: {
  readonly [Format in SchemaFormat]: {
    readonly name: string;
    readonly test: (text: string) => boolean;
  };
} = {
  date: { name: 'a date such as 2024-02-29', test: isDate },
  'date-time': { name: 'a date and time such as 2024-02-29T13:05:00Z', test: isDateTime },
  time: { name: 'a time with its offset such as 13:05:00Z', test: isTime },
  email: { name: 'an email address', test: isEmail },
  uri: { name: 'an absolute URI', test: isUri },
  uuid: { name: 'a UUID', test: (text) => UUID.test(text) },
  ipv4: { name: 'an IPv4 address', test: (text) => IPV4.test(text) },
  ipv6: { name: 'an IPv6 address', test: isIpv6 },
  hostname: { name: 'a host name', test: isHostname },
};

/** RFC 3339, full-date. */
function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  const number = Number(year);
  const isLeap = number % 4 === 0 && (number % 100 !== 0 || number % 400 === 0);
  const days = month === '02' && isLeap ? 29 : (DAYS[Number(month) - 1] ?? 0);
  return Number(day) >= 1 && Number(day) <= days;
}

/** RFC 3339, full-time: the offset is not optional, and a leap second ends a day of UTC. */
function isTime(text: string): boolean {
  const [, hour, minute, second, sign, offsetHour, offsetMinute] = TIME.exec(text) ?? [];
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) {
    return false;
  }
  const offset = [Number(offsetHour ?? 0), Number(offsetMinute ?? 0)] as const;
  if (offset[0] > 23 || offset[1] > 59) return false;
  if (Number(second) < 60) return true;
  const direction = sign === '-' ? 1 : -1;
  const local = Number(hour) * 60 + Number(minute);
  return (local + direction * (offset[0] * 60 + offset[1]) + 2880) % 1440 === 1439;
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
  const [, rest] = SCHEME.exec(text) ?? [];
  if (rest === undefined) return false;
  const [beforeFragment = '', ...fragments] = rest.split('#');
  if (fragments.length > 1 || !fragments.every((fragment) => isOf(QUERY, fragment))) return false;
  const mark = beforeFragment.indexOf('?');
  const hierarchy = mark < 0 ? beforeFragment : beforeFragment.slice(0, mark);
  if (mark >= 0 && !isOf(QUERY, beforeFragment.slice(mark + 1))) return false;
  if (!hierarchy.startsWith('//')) return isOf(PATH, hierarchy);
  const slash = hierarchy.indexOf('/', 2);
  const authority = slash < 0 ? hierarchy.slice(2) : hierarchy.slice(2, slash);
  return isAuthority(authority) && (slash < 0 || isOf(PATH, hierarchy.slice(slash)));
}

function isAuthority(authority: string): boolean {
  const at = authority.indexOf('@');
  if (at >= 0 && !isOf(USER, authority.slice(0, at))) return false;
  const hostAndPort = authority.slice(at + 1);
  const [, literal, name, port = ''] = HOST_AND_PORT.exec(hostAndPort) ?? [];
  if (!/^\d*$/.test(port)) return false;
  if (literal !== undefined) return isIpv6(literal) || FUTURE.test(literal);
  return name !== undefined && isOf(NAME, name);
}

/** Whether a text consists of characters of a class and of octets in per cent notation. */
function isOf(allowed: RegExp, text: string): boolean {
  return allowed.test(text) && !BROKEN_PERCENT.test(text);
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[zZ]|([+-])(\d\d):(\d\d))$/;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const IPV4 = /^(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/;
const GROUP = /^[\da-f]{1,4}$/i;
const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const SCHEME = /^[a-z][a-z\d+.-]*:([^]*)$/i;
const HOST_AND_PORT = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(.*))?$/;
const FUTURE = /^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i;
const USER = /^[\w.~!$&'()*+,;=:%-]*$/;
const NAME = /^[\w.~!$&'()*+,;=%-]*$/;
const PATH = /^[\w.~!$&'()*+,;=:@%/-]*$/;
const QUERY = /^[\w.~!$&'()*+,;=:@%/?-]*$/;
const BROKEN_PERCENT = /%(?![\da-f]{2})/i;
