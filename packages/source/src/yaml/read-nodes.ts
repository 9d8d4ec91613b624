import type { ExactJson } from '@millforge/contracts';
import {
  isMap,
  isScalar,
  isSeq,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { readFlow } from '../json/read-flow.ts';
import { notePlace, type OffsetFault, type Places } from '../located-value.ts';
import type { SourceLimits } from '../source-limits.ts';
import { indentOf } from './lines.ts';
import {
  admitText,
  type ResolvedScalar,
  resolveDoubleQuoted,
  resolvePlain,
  resolvePlainKey,
  resolveSingleQuoted,
} from './resolve-scalar.ts';

/** A value with the offsets of its entries, or the first broken rule. */
export type ReadNodes =
  | { readonly ok: true; readonly value: ExactJson; readonly places: Places }
  | OffsetFault;

/**
 * Turns a YAML tree into the value it means, in document order.
 *
 * Recursion is safe: the tree is no deeper than the limit on nesting, which held when it was built.
 */
export function readNodes(root: ParsedNode, text: string, limits: SourceLimits): ReadNodes {
  const walk: Walk = { text, limits, places: new Map(), entries: 0, fault: null };
  const value = readNode(walk, root, 1);
  if (walk.fault !== null) return walk.fault;
  return { ok: true, value: value ?? null, places: walk.places };
}

interface Walk {
  readonly text: string;
  readonly limits: SourceLimits;
  readonly places: Places;
  entries: number;
  fault: OffsetFault | null;
}

function readNode(walk: Walk, node: ParsedNode | null, depth: number): ExactJson | undefined {
  if (isMap(node)) return readMapping(walk, node, depth);
  if (isSeq(node)) return readList(walk, node, depth);
  if (isScalar(node)) return readScalar(walk, node, depth);
  return fail(walk, 'yaml-malformed', node?.range[0] ?? 0);
}

function readMapping(walk: Walk, node: YAMLMap.Parsed, depth: number): ExactJson | undefined {
  if (!isWithin(walk, depth, node.range[0])) return undefined;
  const mapping: { [key: string]: ExactJson } = {};
  for (const { key: keyNode, value: valueNode } of node.items) {
    const offset = keyNode.range[0];
    const key = readKey(walk, keyNode);
    if (key === undefined) return undefined;
    if (Object.hasOwn(mapping, key)) return fail(walk, 'duplicate-yaml-key', offset);
    if (!isCounted(walk, offset)) return undefined;
    notePlace(walk.places, [mapping, key], offset);
    const value = readNode(walk, valueNode, depth + 1);
    if (value === undefined) return undefined;
    // Plain assignment to `__proto__` would change the prototype instead of making an entry.
    Object.defineProperty(mapping, key, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    });
  }
  return mapping;
}

function readKey(walk: Walk, node: ParsedNode): string | undefined {
  const { text, limits } = walk;
  const [start, end] = node.range;
  if (!isScalar(node)) return fail(walk, 'key-type', start);
  const key = readText(walk, node) ?? resolvePlainKey(text.slice(start, end), limits);
  return node.type === 'BLOCK_LITERAL' ? fail(walk, 'key-type', start) : settle(walk, key, start);
}

function readList(walk: Walk, node: YAMLSeq.Parsed, depth: number): ExactJson | undefined {
  if (!isWithin(walk, depth, node.range[0])) return undefined;
  const list: ExactJson[] = [];
  const dashes = dashesOf(node);
  for (const [index, item] of node.items.entries()) {
    const offset = dashes[index] ?? item.range[0];
    if (!isCounted(walk, offset)) return undefined;
    notePlace(walk.places, [list, index], offset);
    const value = readNode(walk, item, depth + 1);
    if (value === undefined) return undefined;
    list.push(value);
  }
  return list;
}

function dashesOf(node: YAMLSeq.Parsed): readonly number[] {
  if (node.srcToken?.type !== 'block-seq') return [];
  return node.srcToken.items.flatMap((item) =>
    item.start.filter((token) => token.type === 'seq-item-ind').map((token) => token.offset),
  );
}

function readScalar(walk: Walk, node: Scalar.Parsed, depth: number): ExactJson | undefined {
  const { text, limits } = walk;
  const [start, end] = node.range;
  const read = readText(walk, node);
  if (read !== null) return settle(walk, read, start);
  const token = text.slice(start, end);
  if (token === '') return isWithin(walk, depth, start) ? {} : undefined;
  return token.startsWith('[') || token.startsWith('{')
    ? readFlowNode(walk, node, depth)
    : settle(walk, resolvePlain(token, limits), start);
}

/** A scalar that its notation makes a text, or null for a plain one. */
function readText({ text, limits }: Walk, node: Scalar.Parsed): ResolvedScalar<string> | null {
  const [start, end] = node.range;
  if (node.type === 'PLAIN') return null;
  if (node.type === 'QUOTE_DOUBLE') return resolveDoubleQuoted(text.slice(start, end), limits);
  if (node.type === 'QUOTE_SINGLE') return resolveSingleQuoted(text.slice(start, end), limits);
  return typeof node.value === 'string' && node.value !== ''
    ? admitText(node.value, limits)
    : { ok: false, rule: 'empty-block' };
}

function readFlowNode(walk: Walk, node: Scalar.Parsed, depth: number): ExactJson | undefined {
  const { text, limits, places, entries } = walk;
  const [start, end] = node.range;
  const read = readFlow(text.slice(start, end), start, {
    limits: {
      ...limits,
      maxDepth: limits.maxDepth - depth + 1,
      maxEntries: limits.maxEntries - entries,
    },
    places,
    onEntry: () => {
      walk.entries += 1;
    },
  });
  if (read.ok) return read.value;
  walk.fault = read;
  return undefined;
}

function isWithin(walk: Walk, depth: number, offset: number): boolean {
  if (depth <= walk.limits.maxDepth) return true;
  fail(walk, 'depth', offset);
  return false;
}

function isCounted(walk: Walk, offset: number): boolean {
  walk.entries += 1;
  if (walk.entries <= walk.limits.maxEntries) return true;
  fail(walk, 'entries', offset);
  return false;
}

/** Structural faults stand at the indentation of their line, faults of a scalar at the scalar. */
function settle<Value extends ExactJson>(
  walk: Walk,
  resolved: ResolvedScalar<Value>,
  offset: number,
): Value | undefined {
  if (resolved.ok) return resolved.value;
  const isStructural = STRUCTURAL.has(resolved.rule);
  return fail(walk, resolved.rule, isStructural ? indentOf(walk.text, offset) : offset);
}

function fail(walk: Walk, rule: OffsetFault['rule'], offset: number): undefined {
  walk.fault = { ok: false, rule, offset };
  return undefined;
}

const STRUCTURAL: ReadonlySet<OffsetFault['rule']> = new Set([
  'quoted',
  'empty-key',
  'empty-block',
]);
