import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  findUnknownVariableProblems,
  findUnknownVariables,
  findVariableUses,
  listPromptVariables,
  listVariables,
  suggestVariables,
} from './variables.ts'

describe('variables of a prompt', () => {
  test.each([
    ['Hi {{name}}, {{ name }}!', ['name']],
    ['{{customer.name}} of {{list[0]}}', ['customer.name', 'list[0]']],
    ['{{name | friend}} and {{other|}}', ['name', 'other']],
    ['{{current_time_{{zone}}}}', ['zone']],
    ['{{unset | {{name}}}}', ['name', 'unset']],
    ['{{{name}}}', ['name']],
    ['{"a":{"b":{"c":{{name}}}}}', ['name']],
    ['{{x{{y{{name}}}}}}', ['name']],
    ['{{\n{{name}}\n}}', ['name']],
    ['open {{ and {{name}}', ['name']],
    ['{{}} {{ }} { {a} } }}', []],
    ['', []],
  ])('%s', (prompt, names) => {
    expect(listVariables(prompt)).toEqual(names)
  })

  const name = fc.stringMatching(/^[a-z_][a-z0-9_.]{0,8}$/)
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '.', '"', 'é', '😀'), maxLength: 8 })

  test('are found with their positions in any text', () => {
    const fragment = fc.oneof(
      name.map((variableName) => ({ text: `{{${variableName}}}`, names: [variableName] })),
      name.map((variableName) => ({ text: `{{ ${variableName} | someone }}`, names: [variableName] })),
      name.map((variableName) => ({ text: `{{current_time_{{${variableName}}}}}`, names: [variableName] })),
      text.map((plainText) => ({ text: plainText, names: [] })),
    )
    fc.assert(
      fc.property(fc.array(fragment), (parts) => {
        const prompt = parts.map((fragment) => fragment.text).join(' ')
        expect(listVariables(prompt)).toEqual([...new Set(parts.flatMap(({ names }) => names))])
      }),
    )
  })

  test('need braces', () => {
    const braceText = fc.string({ unit: fc.constantFrom('{', '}', '{{', '}}', 'a', ' ', '\n', '|'), maxLength: 100 })
    fc.assert(
      fc.property(braceText, (prompt) => {
        for (const { name: foundName, from, to } of findVariableUses(prompt)) {
          const writtenText = prompt.slice(from, to)
          expect(writtenText).toMatch(/^\{\{.*\}\}$/)
          if (foundName !== null) expect(writtenText).toContain(foundName)
        }
      }),
    )
  })

  test.each(['{{'.repeat(200_000), '}}'.repeat(200_000), '{{a'.repeat(100_000) + '}}'.repeat(100_000)])(
    'are found in linear time (case %#)',
    (prompt) => {
      expect(findVariableUses(prompt).length).toBeLessThanOrEqual(prompt.length)
    },
  )
})

describe('variables without a value', () => {
  const defaults = { customer: '{"name": "Ada"}', city: '' }

  test('have neither a default nor a system value', () => {
    const prompt =
      '{{customer.name}} {{city}} {{current_time_Europe/Berlin}} {{user_number}} {{a | b}} {{lost}} {{lost}}'
    expect(findUnknownVariables(prompt, defaults)).toEqual(['lost'])
  })

  test('are marked in the text as a warning', () => {
    expect(findUnknownVariableProblems('Hi {{lost}}', { defaults, message: 'None.' })).toEqual([
      { from: 3, to: 11, message: 'None.', severity: 'warning' },
    ])
  })

  test('can have the names of object properties', () => {
    expect(findUnknownVariables('{{constructor}} {{toString}}', defaults)).toEqual(['constructor', 'toString'])
  })

  test('are not suggested, and configured variables come first', () => {
    expect(suggestVariables({ city: '' }).slice(0, 2)).toEqual(['city', 'current_time'])
  })
})

test('lists each variable of the prompt, greeting, and states once, without system variables', () => {
  const llm = {
    general_prompt: 'Greet {{ name }}. It is {{current_time}}.',
    begin_message: 'Hello {{name}} of {{company | us}}!',
    states: [{ name: 'ask', state_prompt: 'Ask for {{order}}.' }],
  } as unknown as Parameters<typeof listPromptVariables>[0]
  expect(listPromptVariables(llm)).toEqual(['name', 'company', 'order'])
})

test('an agent without a prompt has no variables', () => {
  expect(listPromptVariables(null)).toEqual([])
})
