import { type Diagnostic, JsonFloat, looksSecret } from '@millforge/contracts';
import { found } from '../diagnostics.ts';

/** What a document holds that it should not, whatever else it says. */
export interface HazardScan {
  /** What makes it unusable: secrets, and values that are no JSON. */
  readonly errors: readonly Diagnostic[];
  /** Texts that a person should look at. */
  readonly warnings: readonly Diagnostic[];
}

/**
 * Walks every value of a document before anything else reads it.
 *
 * Texts with the shape of code or of an instruction are warnings only: nothing here runs them, and real
 * descriptions talk about paths and commands.
 */
export function scanHazards(root: unknown): HazardScan {
  const errors: Diagnostic[] = [];
  const warnings: Diagnostic[] = [];
  const pending: Place[] = [{ value: root, path: '', name: '', above: [], isSchemaMap: false }];
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    const { value, path } = place;
    if (typeof value === 'string') {
      scanText(place, { errors, warnings });
    } else if (typeof value === 'object' && value !== null && !(value instanceof JsonFloat)) {
      if (place.above.includes(value)) {
        errors.push(found.notJson({ path, fields: { hazard: 'recursive_reference' } }));
      } else if (isContainer(value)) {
        pending.push(...below(place, value));
      } else {
        errors.push(found.notJson({ path, fields: { hazard: 'runtime_object' } }));
      }
    } else if (!isScalar(value)) {
      errors.push(found.notJson({ path, fields: { hazard: 'runtime_object' } }));
    }
  }
  return { errors, warnings };
}

interface Place {
  readonly value: unknown;
  readonly path: string;
  /** Last segment of the path. */
  readonly name: string;
  readonly above: readonly object[];
  /** Whether the keys are names of properties in a schema, which say nothing about their values. */
  readonly isSchemaMap: boolean;
}

function below(place: Place, value: object): readonly Place[] {
  const above = [...place.above, value];
  return Object.entries(value).map(([key, child]) => ({
    value: child,
    path: `${place.path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    name: place.isSchemaMap ? '' : key,
    above,
    isSchemaMap: key === 'properties' && !place.isSchemaMap,
  }));
}

function scanText(
  { value, path, name }: Place,
  into: { readonly errors: Diagnostic[]; readonly warnings: Diagnostic[] },
): void {
  const text = String(value).trim();
  if (looksSecret(text, name)) {
    into.errors.push(found.secretMaterial({ path, fields: { hazard: 'secret_material' } }));
    return;
  }
  // Code is where it belongs there.
  if (IMPLEMENTATION.test(path) || path.endsWith('/runtime_kind')) return;
  const shape = CODE_SHAPES.find(([, pattern]) => pattern.test(text));
  if (shape !== undefined) {
    into.warnings.push(found.executableMaterial({ path, fields: { hazard: shape[0] } }));
  } else if (name === 'description' && INSTRUCTION.test(text)) {
    into.warnings.push(found.descriptionUnsafe({ path, fields: { hazard: 'instruction_like' } }));
  }
}

function isContainer(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isScalar(value: unknown): boolean {
  return (
    value === null ||
    typeof value === 'boolean' ||
    value instanceof JsonFloat ||
    Number.isFinite(value)
  );
}

const IMPLEMENTATION = /^\/tools\/\d+\/implementation\//u;
const INSTRUCTION =
  /\b(?:ignore|override|system prompt|developer message|previous instructions|follow these instructions|you must|do not tell)\b/iu;
const CODE_SHAPES: readonly (readonly [string, RegExp])[] = [
  ['live_endpoint_url', /\bhttps?:\/\/[^\s<>'"]+/iu],
  ['parent_traversal', /(?:^|[\s\\/])\.\.(?:[\\/]|$)/u],
  [
    'shell_command',
    /(?:^|\s)(?:rm\s+-rf|curl\s+|wget\s+|bash\s+-c|sh\s+-c|python3?\s+-c|node\s+-e|powershell\b|cmd\.exe\b|chmod\s+\+x)\b/iu,
  ],
  ['absolute_path', /\b[A-Za-z]:\\[^\s]+|(?<![A-Za-z0-9_.#-])\/[A-Za-z0-9_.-][^\s]*/u],
  [
    'script_body',
    /(?:^#!|<script\b|function\s+\w*\s*\(|def\s+\w+\s*\(|\bimport os\b|subprocess\.|\beval\(|\bexec\()/su,
  ],
  ['template_interpolation', /\{\{.*?\}\}|\{%.+?%\}|\$\{[^}]+\}/u],
];
