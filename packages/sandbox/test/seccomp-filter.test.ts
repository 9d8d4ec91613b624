import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { seccompFilter } from '../src/bubblewrap/seccomp-filter.ts';

const MACHINES = [
  { name: 'x64', audit: 0xc000_003e, header: '/usr/include/x86_64-linux-gnu/asm/unistd_64.h' },
  { name: 'arm64', audit: 0xc000_00b7, header: '/usr/include/asm-generic/unistd.h' },
] as const;
const EPERM = 0x0005_0001;
const ENOSYS = 0x0005_0026;
const EAFNOSUPPORT = 0x0005_0061;
const ALLOW = 0x7fff_0000;
const KILL = 0x8000_0000;

const REFUSED =
  `ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd add_key request_key keyctl bpf
  perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register mount umount2 pivot_root chroot
  move_mount open_tree fsopen fsconfig fsmount fspick mount_setattr unshare setns name_to_handle_at
  open_by_handle_at init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff acct
  quotactl quotactl_fd syslog settimeofday clock_settime adjtimex clock_adjtime lookup_dcookie vhangup iopl
  ioperm modify_ldt`.split(/\s+/u);

/** What the kernel would do with the program: the few operations that it uses. */
function judge(
  filter: Uint8Array,
  call: { readonly number: number; readonly audit: number; readonly arguments?: readonly number[] },
): number {
  const program = new DataView(filter.buffer, filter.byteOffset, filter.byteLength);
  const data = new Map([
    [0, call.number],
    [4, call.audit],
    ...(call.arguments ?? []).map((value, at) => [16 + 8 * at, value] as const),
  ]);
  let loaded = 0;
  for (let at = 0; at < filter.length / 8; at++) {
    const code = program.getUint16(at * 8, true);
    const constant = program.getUint32(at * 8 + 4, true);
    if (code === 0x20) loaded = data.get(constant) ?? 0;
    else if (code === 0x06) return constant;
    else {
      const holds =
        code === 0x15
          ? loaded === constant
          : code === 0x35
            ? loaded >= constant
            : (loaded & constant) !== 0;
      at += program.getUint8(at * 8 + (holds ? 2 : 3));
    }
  }
  throw new Error('The program has no end.');
}

test.each(MACHINES)('judges calls of $name by number and argument', ({ name, audit, header }) => {
  const filter = seccompFilter(name) ?? new Uint8Array();
  const isX64 = name === 'x64';
  const [socket, ioctl, clone, ptrace, read] = isX64
    ? [41, 16, 56, 101, 0]
    : [198, 29, 220, 117, 63];
  const told = (number: number, ...values: readonly number[]) =>
    judge(filter, { number, audit, arguments: values });
  expect(told(read)).toBe(ALLOW);
  expect(told(ptrace)).toBe(EPERM);
  expect([1, 2, 10, 16].map((family) => told(socket, family))).toEqual([
    ALLOW,
    ALLOW,
    ALLOW,
    ALLOW,
  ]);
  expect([0, 17, 38, 40, 44].map((family) => told(socket, family))).toEqual(
    Array(5).fill(EAFNOSUPPORT),
  );
  expect([0x5412, 0x541c].map((request) => told(ioctl, 0, request))).toEqual([EPERM, EPERM]);
  expect(told(ioctl, 0, 0x5401)).toBe(ALLOW);
  expect(told(clone, 0x0001_0f00)).toBe(ALLOW);
  expect([0x1000_0000, 0x0002_0000, 0x4000_0011].map((flags) => told(clone, flags))).toEqual([
    EPERM,
    EPERM,
    EPERM,
  ]);
  expect(told(435)).toBe(ENOSYS);
  expect(judge(filter, { number: read, audit: audit + 1 })).toBe(KILL);
  if (isX64) expect(told(0x4000_0000 + read)).toBe(EPERM);
  // The kernel's own numbers, where its headers are here.
  if (!existsSync(header)) return;
  const numbers = readFileSync(header, 'utf8').matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)$/gmu);
  const refused = [...numbers]
    .filter(([, , number]) => told(Number(number)) === EPERM)
    .map(([, call]) => call);
  expect(REFUSED).toEqual(expect.arrayContaining(refused));
  expect(refused).toEqual(expect.arrayContaining(['ptrace', 'mount', 'unshare', 'bpf', 'keyctl']));
});

test('there is no filter for a processor without a table', () => {
  expect(seccompFilter('mips')).toBeNull();
});
