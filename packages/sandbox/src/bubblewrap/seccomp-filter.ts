/**
 * Assembles the system call filter for `bwrap --seccomp`: what no tool needs and what widens the kernel's
 * surface is refused; null for a processor without a table.
 *
 * A list of refusals, not of permissions: programs of any kind run here, and what a new libc calls must
 * not break them. The namespaces are the boundary; this narrows what stands behind it.
 */
export function seccompFilter(architecture: string): Uint8Array | null {
  const machine = MACHINES[architecture];
  if (machine === undefined) return null;
  const { column, audit } = machine;
  const number = (name: string): number | null => NUMBERS[name]?.[column] ?? null;
  const program: Instruction[] = [
    [LOAD, ARCHITECTURE_AT],
    [JUMP_EQUAL, audit, 1, 0],
    [RETURN, KILL],
    [LOAD, NUMBER_AT],
  ];
  if (column === 0) program.push([JUMP_GREATER_EQUAL, X32_BIT, 0, 1], [RETURN, refuse(EPERM)]);
  for (const name of REFUSED) {
    const found = number(name);
    if (found !== null) program.push([JUMP_EQUAL, found, 0, 1], [RETURN, refuse(EPERM)]);
  }
  // Its flags are behind a pointer, which a filter cannot follow: the caller falls back to `clone`.
  program.push([JUMP_EQUAL, number('clone3') ?? 0, 0, 1], [RETURN, refuse(ENOSYS)]);
  program.push(
    [JUMP_EQUAL, number('clone') ?? 0, 0, 4],
    [LOAD, ARGUMENT_AT(0)],
    [JUMP_ANY, NEW_NAMESPACES, 0, 1],
    [RETURN, refuse(EPERM)],
    [LOAD, NUMBER_AT],
  );
  program.push(
    [JUMP_EQUAL, number('ioctl') ?? 0, 0, 5],
    [LOAD, ARGUMENT_AT(1)],
    [JUMP_EQUAL, PUSH_INPUT, 1, 0],
    [JUMP_EQUAL, LINUX_CONSOLE, 0, 1],
    [RETURN, refuse(EPERM)],
    [LOAD, NUMBER_AT],
  );
  program.push(
    [JUMP_EQUAL, number('socket') ?? 0, 0, 6],
    [LOAD, ARGUMENT_AT(0)],
    // Sockets of other families do not all know the network namespace: those of virtual machines reach the host.
    ...FAMILIES.map(
      (family, index): Instruction => [JUMP_EQUAL, family, FAMILIES.length - index, 0],
    ),
    [RETURN, refuse(EAFNOSUPPORT)],
  );
  program.push([RETURN, ALLOW]);
  return encode(program);
}

/** Operation, constant, and how many instructions to skip if it holds and if not. */
type Instruction = readonly [code: number, constant: number, ifTrue?: number, ifFalse?: number];

function refuse(errno: number): number {
  return 0x0005_0000 + errno;
}

function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  for (const [index, [code, constant, ifTrue = 0, ifFalse = 0]] of program.entries()) {
    bytes.setUint16(index * 8, code, true);
    bytes.setUint8(index * 8 + 2, ifTrue);
    bytes.setUint8(index * 8 + 3, ifFalse);
    bytes.setUint32(index * 8 + 4, constant, true);
  }
  return new Uint8Array(bytes.buffer);
}

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER_EQUAL = 0x35;
const JUMP_ANY = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff_0000;
const KILL = 0x8000_0000;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
/** Low half of an argument. */
const ARGUMENT_AT = (index: number): number => 16 + 8 * index;

const X32_BIT = 0x4000_0000;
const NEW_NAMESPACES = 0x7e02_0000;
/** TIOCSTI and TIOCLINUX: typing into the terminal of somebody else. */
const PUSH_INPUT = 0x5412;
const LINUX_CONSOLE = 0x541c;
/** Unix, IPv4, IPv6, netlink. */
const FAMILIES = [1, 2, 10, 16] as const;

const MACHINES: Readonly<Record<string, { readonly column: 0 | 1; readonly audit: number }>> = {
  x64: { column: 0, audit: 0xc000_003e },
  arm64: { column: 1, audit: 0xc000_00b7 },
};

/** Numbers on x86-64 and on AArch64. */
const NUMBERS: Readonly<Record<string, readonly [number, number | null]>> = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  move_mount: [429, 429],
  open_tree: [428, 428],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  unshare: [272, 97],
  setns: [308, 268],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  lookup_dcookie: [212, 18],
  vhangup: [153, 58],
  iopl: [172, null],
  ioperm: [173, null],
  modify_ldt: [154, null],
  clone: [56, 220],
  clone3: [435, 435],
  ioctl: [16, 29],
  socket: [41, 198],
};
const JUDGED = new Set(['clone', 'clone3', 'ioctl', 'socket']);
const REFUSED = Object.keys(NUMBERS).filter((name) => !JUDGED.has(name));
