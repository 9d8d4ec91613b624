import { type JsonObject, type JsonValue, type Tool, toPlainJson } from '@millforge/contracts';

/** The tool, which says in the words of Pi why arguments do not fit; a closed one has no use for unknown ones. */
export function explainingAsPi(tool: Tool, { isClosed }: { readonly isClosed: boolean }): Tool {
  const { model_tool_name: name, input_schema } = tool.descriptor;
  const schema = objectOf(toPlainJson(input_schema));
  const explainArguments = (input: JsonValue): string | null => {
    const faults = faultsOf(input, schema, { path: '', isClosed });
    if (faults.length === 0) return null;
    const lines = faults.map(({ path, message }) => `  - ${path || 'root'}: ${message}`);
    return `Validation failed for tool "${name}":\n${lines.join('\n')}\n\nReceived arguments:\n${JSON.stringify(input, null, 2)}`;
  };
  return Object.freeze({
    ...tool,
    implementation: Object.freeze({ ...tool.implementation, explainArguments }),
  });
}

interface Place {
  readonly path: string;
  readonly isClosed: boolean;
}

interface Fault {
  readonly path: string;
  readonly message: string;
}

/** All that Pi has against a value, in its order: what it would make fit is no fault. */
function faultsOf(
  value: JsonValue | undefined,
  schema: JsonObject,
  place: Place,
): readonly Fault[] {
  const { type } = schema;
  if (type === 'object') {
    return isObject(value) ? objectFaults(value, schema, place) : [mustBe(type, place)];
  }
  if (type === 'array') {
    const items = Array.isArray(value) ? value : [value];
    const schemaOfItem = objectOf(schema['items']);
    return items.flatMap((item, index) => faultsOf(item, schemaOfItem, below(place, `${index}`)));
  }
  return typeof type !== 'string' || canFit(value, type) ? [] : [mustBe(type, place)];
}

function objectFaults(value: JsonObject, schema: JsonObject, place: Place): readonly Fault[] {
  const properties = objectOf(schema['properties']);
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const missing = ORDER.filter((name) => required.includes(name) && !Object.hasOwn(value, name));
  const [first] = missing;
  const faults: Fault[] = [];
  if (first !== undefined) {
    const message = `must have required properties ${missing.join(', ')}`;
    faults.push({ path: below(place, first).path, message });
  }
  if (place.isClosed && Object.keys(value).some((name) => !Object.hasOwn(properties, name))) {
    faults.push({ path: place.path, message: 'must not have additional properties' });
  }
  for (const name of ORDER) {
    if (!Object.hasOwn(value, name) || !Object.hasOwn(properties, name)) continue;
    faults.push(...faultsOf(value[name], objectOf(properties[name]), below(place, name)));
  }
  return faults;
}

/** Whether Pi takes a value for one of that type, maybe after a conversion. */
function canFit(value: JsonValue | undefined, type: string): boolean {
  if (typeof value === 'object' && value !== null) return false;
  switch (type) {
    case 'number':
      return typeof value !== 'string' || Number.isFinite(Number(value));
    case 'boolean':
      return value === null || /^(?:true|false|1|0)$/i.test(String(value));
    default:
      return true;
  }
}

function mustBe(type: string, { path }: Place): Fault {
  return { path, message: `must be ${type}` };
}

function below({ path, isClosed }: Place, name: string): Place {
  return { path: path === '' ? name : `${path}.${name}`, isClosed };
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** All names of arguments, as Pi goes through them; a descriptor has them sorted. */
const ORDER = [
  'pattern',
  'path',
  'glob',
  'ignoreCase',
  'literal',
  'context',
  'offset',
  'limit',
  'command',
  'timeout',
  'content',
  'edits',
  'oldText',
  'newText',
];
