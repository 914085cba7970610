import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mergeVariables, renderTemplate, type VariableLookup } from './variables.ts'

const values: Record<string, string> = {
  name: 'Ada',
  empty: '',
  zone: 'UTC',
  time_UTC: 'noon',
  tricky: '{{name}}',
  braces: '}} {{',
}
const lookup: VariableLookup = (name) => (Object.hasOwn(values, name) ? values[name] : undefined)

describe('renderTemplate', () => {
  test.each([
    ['Hi {{name}}!', 'Hi Ada!'],
    ['Hi {{ name }}!', 'Hi Ada!'],
    ['{{unset}} stays', '{{unset}} stays'],
    ['{{unset | friend}}', 'friend'],
    ['{{unset|}}', ''],
    ['{{name | friend}}', 'Ada'],
    ['{{empty | friend}}', ''],
    ['{{time_{{zone}}}}', 'noon'],
    ['{{time_{{unset}}}}', '{{time_{{unset}}}}'],
    ['{{time_{{unset | UTC}}}}', 'noon'],
    ['{{other_{{zone}}}}', '{{other_{{zone}}}}'],
    ['{{unset | {{name}}}}', 'Ada'],
    ['{{x{{y{{name}}}}}}', '{{x{{y{{name}}}}}}'],
    ['{{tricky}}', '{{name}}'],
    ['{{braces}}{{name}}', '}} {{Ada'],
    ['{{{name}}}', '{Ada}'],
    ['{"a":{"b":{"c":{{name}}}}}', '{"a":{"b":{"c":Ada}}}'],
    ['open {{ and {{name}}', 'open {{ and Ada'],
    ['{{\n{{name}}\n}}', '{{\nAda\n}}'],
    ['}} {{name}} {{', '}} Ada {{'],
    ['{{}}', '{{}}'],
    ['no braces', 'no braces'],
    ['{{constructor}}', '{{constructor}}'],
  ])('%s', (template, rendered) => {
    expect(renderTemplate(template, lookup)).toBe(rendered)
  })

  test('text without a set variable comes out as it went in', () => {
    const hostile = fc.string({ unit: fc.constantFrom('{', '}', '{{', '}}', 'a', ' ', '\n', '.'), maxLength: 200 })
    fc.assert(
      fc.property(hostile, (template) => {
        expect(renderTemplate(template, () => undefined)).toBe(template)
      }),
    )
  })

  test('substituted text is never scanned again', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('{{', '}}', 'name', 'x', '|') }), (value) => {
        const rendered = renderTemplate('<{{v}}>', (name) => (name === 'v' ? value : 'scanned'))
        expect(rendered).toBe(`<${value}>`)
      }),
    )
  })

  test.each([
    ['{{'.repeat(500_000)],
    ['}}'.repeat(500_000)],
    ['{{'.repeat(250_000) + '}}'.repeat(250_000)],
    [`${'{{a'.repeat(200_000)}\n${'}}'.repeat(200_000)}`],
    ['{{a|'.repeat(100_000) + 'b}}'.repeat(100_000)],
    ['{{a}}'.repeat(200_000)],
  ])('is linear on hostile text (case %#)', (template) => {
    let lookups = 0
    const rendered = renderTemplate(template, (name) => {
      lookups += name.length + 1
      return undefined
    })
    expect(rendered.length).toBeLessThanOrEqual(template.length)
    expect(lookups).toBeLessThanOrEqual(template.length * 2)
  })
})

describe('mergeVariables', () => {
  const layers = {
    system: (name: string) => (name === 'a' ? 'system' : undefined),
    engineDefaults: {},
    given: {},
    collected: {},
    override: {},
  }

  test('stronger layers win', () => {
    const order = ['engineDefaults', 'given', 'collected', 'override'] as const
    let current: Parameters<typeof mergeVariables>[0] = layers
    expect(mergeVariables(current)('a')).toBe('system')
    for (const layer of order) {
      current = { ...current, [layer]: { a: layer } }
      expect(mergeVariables(current)('a')).toBe(layer)
    }
  })

  test('an override of null leaves a name without a value, whatever else sets it', () => {
    const given = { a: '{"b":"1"}' }
    const merged = mergeVariables({ ...layers, given, collected: given, override: { a: null } })
    expect([merged('a'), merged('a.b')]).toEqual([undefined, undefined])
  })

  test('dotted names reach into JSON values, exact names come first', () => {
    const merged = mergeVariables({
      ...layers,
      given: { customer: '{"name":"Ada","tags":["x",{"y":1}],"nil":null}', 'customer.id': '7', text: 'plain' },
    })
    expect(merged('customer.name')).toBe('Ada')
    expect(merged('customer.id')).toBe('7')
    expect(merged('customer.tags[1].y')).toBe('1')
    expect(merged('customer.tags')).toBe('["x",{"y":1}]')
    expect(merged('customer.nil')).toBeUndefined()
    expect(merged('customer.none')).toBeUndefined()
    expect(merged('customer.')).toBeUndefined()
    expect(merged('text.length')).toBeUndefined()
    expect(merged('toString')).toBeUndefined()
    expect(merged('__proto__')).toBeUndefined()
  })
})
