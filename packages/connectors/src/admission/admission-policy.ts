import {
  deepFreeze,
  isDottedId,
  SIDE_EFFECT_CLASSES,
  type SideEffectClass,
} from '@millforge/contracts';
import { found } from '../diagnostics.ts';
import type { ReadResult } from '../discovery/discovery-snapshot.ts';
import {
  childPath,
  createFieldReader,
  type FieldReader,
  type Place,
} from '../documents/field-reader.ts';
import {
  type ConnectorTransportKind,
  PROTOCOL,
  TRANSPORT_KINDS,
} from '../identity/connector-identity.ts';
import { isSideEffecting } from './approval-policy-name.ts';
import { APPROVAL_WORDS, approvalOf, type ConnectorApproval } from './approval-word.ts';

/** Which approvals are enough for tools of a class; a class that is missing admits nothing. */
export type ApprovalMatrix = {
  readonly [Effect in SideEffectClass]?: readonly ConnectorApproval[];
};

/** What an operator's manifests may admit at all. */
export interface AdmissionPolicy {
  /** Capabilities that an admitted tool may ask for, sorted. */
  readonly allowed_capability_ids: readonly string[];
  /** Protocols that may be spoken; empty denies all. */
  readonly allowed_protocols: readonly string[];
  /** Ways to reach a server; empty denies all. */
  readonly allowed_transport_kinds: readonly ConnectorTransportKind[];
  /** UTF-8 bytes that a description may take, 1 to 65,536; a descriptor holds 4,096. */
  readonly max_description_utf8: number;
  /** Which approvals are enough for tools of a class. */
  readonly side_effect_approval_matrix: ApprovalMatrix;
  /** Whether every expected digest must be given, as it is where no person looks on. */
  readonly require_expected_hashes: boolean;
}

/** Reads a policy; what is absent has its default, and what is unknown makes it none. */
export function readAdmissionPolicy(value: unknown): ReadResult<AdmissionPolicy> {
  const reader = createFieldReader('ConnectorAdmissionPolicy', 'policy');
  const of = reader.fields(value, '', FIELDS);
  const at = (key: string): Place => ({ of, key });
  const policy: AdmissionPolicy = {
    allowed_capability_ids: reader.ids(at('allowed_capability_ids'), {
      isRight: isDottedId,
      expected: 'a capability id',
    }),
    allowed_protocols: reader.isAbsent(at('allowed_protocols'))
      ? ['mcp']
      : reader.ids(at('allowed_protocols'), PROTOCOL),
    allowed_transport_kinds: reader.isAbsent(at('allowed_transport_kinds'))
      ? TRANSPORT_KINDS
      : readKinds(reader.ids(at('allowed_transport_kinds'), TRANSPORT)),
    max_description_utf8: reader.integer(at('max_description_utf8'), { low: 1, high: 65_536 }),
    side_effect_approval_matrix: reader.isAbsent(at('side_effect_approval_matrix'))
      ? DEFAULT_MATRIX
      : readMatrix(reader, of.values['side_effect_approval_matrix']),
    require_expected_hashes:
      !reader.isAbsent(at('require_expected_hashes')) && reader.flag(at('require_expected_hashes')),
  };
  return reader.diagnostics.length > 0
    ? { ok: false, diagnostics: reader.diagnostics }
    : { ok: true, value: deepFreeze(policy) };
}

function readKinds(names: readonly string[]): readonly ConnectorTransportKind[] {
  return TRANSPORT_KINDS.filter((kind) => names.includes(kind));
}

function readMatrix(reader: FieldReader, value: unknown): ApprovalMatrix {
  const path = '/side_effect_approval_matrix';
  const of = reader.fields(value, path, SIDE_EFFECT_CLASSES);
  const rows: [SideEffectClass, readonly ConnectorApproval[]][] = [];
  for (const effect of SIDE_EFFECT_CLASSES) {
    if (!Object.hasOwn(of.values, effect)) continue;
    const allowed: ConnectorApproval[] = [];
    for (const [index, word] of reader.list({ of, key: effect }).entries()) {
      const approval = approvalOf(word);
      const place = `${childPath(path, effect)}/${index}`;
      if (approval === null) {
        const fields = {
          model: 'ConnectorAdmissionPolicy',
          expected: `one of ${APPROVAL_WORDS.join(', ')}`,
        } as const;
        reader.add(found.policy.documentInvalid({ path: place, fields }));
      } else if (approval === 'forbidden' || (approval === 'none' && isSideEffecting(effect))) {
        const fields = { approval_policy: approval, side_effect_class: effect };
        reader.add(found.policy.approvalPolicyInvalid({ path, fields }));
      } else allowed.push(approval);
    }
    rows.push([effect, allowed]);
  }
  return Object.fromEntries(rows);
}

const TRANSPORT = {
  isRight: (text: string): boolean => TRANSPORT_KINDS.some((kind) => kind === text),
  expected: 'stdio or http',
};
const ASKED: readonly ConnectorApproval[] = ['millrace_explicit', 'operator_out_of_band'];
const DEFAULT_MATRIX: ApprovalMatrix = Object.fromEntries(
  SIDE_EFFECT_CLASSES.map((effect) => [
    effect,
    isSideEffecting(effect) ? ASKED : ['none' as const, ...ASKED],
  ]),
);
const FIELDS = [
  'allowed_capability_ids',
  'allowed_protocols',
  'allowed_transport_kinds',
  'max_description_utf8',
  'side_effect_approval_matrix',
  'require_expected_hashes',
];
