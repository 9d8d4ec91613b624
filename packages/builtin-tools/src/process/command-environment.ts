/** Variables of the host by name. */
export type HostEnvironment = Readonly<Record<string, string | undefined>>;

/** The environment of a command: little of the host, and what its profile adds. */
export function commandEnvironment(
  host: HostEnvironment = { PATH: SYSTEM_PATH },
  added: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = host[name];
    if (value !== undefined) environment[name] = value;
  }
  return { ...environment, ...FIXED, ...added };
}

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'TMP', 'TEMP', 'SYSTEMROOT', 'WINDIR'];
const FIXED = { PYTHONUNBUFFERED: '1', NO_COLOR: '1', LC_ALL: 'C.UTF-8' };
