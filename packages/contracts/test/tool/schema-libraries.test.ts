import { defineTool, type JsonObject, validateJson } from '@millforge/contracts';
import { Type } from '@sinclair/typebox';
import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import Typebox from 'typebox';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod-3';
import { zodToJsonSchema } from 'zod-to-json-schema';

// The same arguments as an author of each library writes them.
const SCHEMAS: readonly (readonly [string, object])[] = [
  [
    'zod 4',
    z.strictObject({
      city: z.string(),
      days: z.int(),
      unit: z.enum(['metric', 'imperial']).optional(),
      alerts: z.array(z.strictObject({ level: z.number(), isOpen: z.boolean() })),
    }),
  ],
  [
    'zod 3, through its converter',
    convertZod3(
      z3
        .object({
          city: z3.string(),
          days: z3.number().int(),
          unit: z3.enum(['metric', 'imperial']).optional(),
          alerts: z3.array(z3.object({ level: z3.number(), isOpen: z3.boolean() }).strict()),
        })
        .strict(),
    ),
  ],
  ['valibot', toStandardJsonSchema(valibotSchema())],
  ['valibot, as plain JSON Schema', toJsonSchema(valibotSchema())],
  [
    'arktype',
    type({
      '+': 'reject',
      city: 'string',
      days: 'number.integer',
      'unit?': "'metric' | 'imperial'",
      alerts: type({ '+': 'reject', level: 'number', isOpen: 'boolean' }).array(),
    }),
  ],
  [
    'typebox',
    Typebox.Object(
      {
        city: Typebox.String(),
        days: Typebox.Integer(),
        unit: Typebox.Optional(
          Typebox.Union([Typebox.Literal('metric'), Typebox.Literal('imperial')]),
        ),
        alerts: Typebox.Array(
          Typebox.Object(
            { level: Typebox.Number(), isOpen: Typebox.Boolean() },
            { additionalProperties: false },
          ),
        ),
      },
      { additionalProperties: false },
    ),
  ],
  [
    'typebox before 1.0',
    Type.Object({
      city: Type.String(),
      days: Type.Integer(),
      unit: Type.Optional(Type.Union([Type.Literal('metric'), Type.Literal('imperial')])),
      alerts: Type.Array(Type.Object({ level: Type.Number(), isOpen: Type.Boolean() })),
    }),
  ],
  [
    'plain JSON Schema',
    {
      type: 'object',
      properties: {
        city: { type: 'string' },
        days: { type: 'integer' },
        unit: { enum: ['metric', 'imperial'], type: 'string' },
        alerts: {
          type: 'array',
          items: {
            type: 'object',
            properties: { level: { type: 'number' }, isOpen: { type: 'boolean' } },
            required: ['level', 'isOpen'],
          },
        },
      },
      required: ['city', 'days', 'alerts'],
    },
  ],
];

test.each(SCHEMAS)('a tool takes its arguments from %s', (_library, input) => {
  const { descriptor } = forecast(input);
  for (const [isRight, value] of CALLS) {
    expect(validateJson(value, descriptor.input_schema) === null, JSON.stringify(value)).toBe(
      isRight,
    );
  }
});

test('zod 3 alone gives no JSON Schema, which is said with what to do', () => {
  expect(() => forecast(z3.object({ city: z3.string() }))).toThrow(
    /input .* gives no JSON Schema; pass JSON Schema, or wrap it in the converter/,
  );
});

const CALLS: readonly (readonly [isRight: boolean, value: JsonObject])[] = [
  [true, { city: 'Bern', days: 3, alerts: [] }],
  [true, { city: '', days: -1, unit: 'metric', alerts: [{ level: 0.5, isOpen: false }] }],
  [false, { city: 'Bern', days: 3.5, alerts: [] }],
  [false, { city: 'Bern', days: '3', alerts: [] }],
  [false, { city: 'Bern', days: 3 }],
  [false, { city: 'Bern', days: 3, alerts: [{ level: 1 }] }],
  [false, { city: 'Bern', days: 3, unit: 'kelvin', alerts: [] }],
  [false, { city: 'Bern', days: 3, alerts: [], country: 'CH' }],
];

function forecast(input: object) {
  return defineTool({
    id: 'acme.forecast',
    name: 'forecast',
    description: 'Says how the weather will be.',
    input,
    sideEffect: 'read_only',
    idempotency: 'idempotent',
    run: async () => ({ kind: 'done', text: 'sunny' }),
  });
}

/** The converter's types follow the newest zod that is installed, here 4. */
function convertZod3(schema: object): object {
  return Reflect.apply(zodToJsonSchema, undefined, [schema]);
}

function valibotSchema() {
  return v.strictObject({
    city: v.string(),
    days: v.pipe(v.number(), v.integer()),
    unit: v.optional(v.picklist(['metric', 'imperial'])),
    alerts: v.array(v.strictObject({ level: v.number(), isOpen: v.boolean() })),
  });
}
