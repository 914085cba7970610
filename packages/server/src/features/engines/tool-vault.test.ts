import { STORED_VALUE } from '@parley/contract/secret-reference'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSecrets } from '../../platform/secrets/sealed-secrets.ts'
import { hideSecrets } from './tool-secrets.ts'
import { createToolVault } from './tool-vault.ts'

const vault = createToolVault(createSecrets('the key of these tests'))
const seal = <Definition extends object>(definition: Definition, ...storedDefinitions: object[]): Definition =>
  vault.encrypt(definition, { workspaceId: 1, storedDefinitions })

const SECRET = 'hunter2'
const LLM = {
  general_prompt: `Never say ${STORED_VALUE}.`,
  general_tools: [
    {
      type: 'custom',
      name: 'lookup',
      url: `https://user:${SECRET}@api.example.com/v1/{{path}}?key=${SECRET}&city={{city}}&flag=#top`,
      headers: { Authorization: `Bearer ${SECRET}`, 'X-Name': '{{name}}', 'X-Auth': 'Bearer {{secrets.crm}}' },
      query_params: { key: SECRET, empty: '' },
    },
    { type: 'check_availability_cal', name: 'cal', cal_api_key: SECRET },
  ],
  states: [
    { name: 'pay', tools: [{ type: 'custom', name: 'charge', url: 'https://a.example', headers: { k: SECRET } }] },
  ],
  mcps: [{ name: 'Shop', url: 'https://shop.example/mcp', headers: { 'x-key': `${SECRET}{{region}}` } }],
}

test('shows values made only of variables and hides everything else', () => {
  expect(hideSecrets(seal(LLM))).toEqual({
    ...LLM,
    general_tools: [
      {
        ...LLM.general_tools[0],
        url: `https://${STORED_VALUE}:${STORED_VALUE}@api.example.com/v1/{{path}}?key=${STORED_VALUE}&city={{city}}&flag=#top`,
        headers: { Authorization: STORED_VALUE, 'X-Name': '{{name}}', 'X-Auth': 'Bearer {{secrets.crm}}' },
        query_params: { key: STORED_VALUE, empty: '' },
      },
      { type: 'check_availability_cal', name: 'cal', cal_api_key: STORED_VALUE },
    ],
    states: [
      {
        name: 'pay',
        tools: [{ type: 'custom', name: 'charge', url: 'https://a.example', headers: { k: STORED_VALUE } }],
      },
    ],
    mcps: [{ name: 'Shop', url: 'https://shop.example/mcp', headers: { 'x-key': STORED_VALUE } }],
  })
  expect(JSON.stringify(seal(LLM))).not.toContain(SECRET)
  const withDefault = { tools: [{ name: 'a', headers: { 'x-key': `{{key | ${SECRET}}}` } }] }
  expect(JSON.stringify(hideSecrets(withDefault))).not.toContain(SECRET)
})

test('sealing, hiding and writing back preserves values, and equal values stay equal', () => {
  const value = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('{{a}}', 'Bearer {{a}}', 'x{{a}}', '__sealed__.x', '{{', 'a}}b', '{{a|b}}'),
  )
  const urlPart = fc.oneof(fc.stringMatching(/^[a-z0-9%._-]*$/), fc.constantFrom('{{a?b&c}}', 'k{{x}}', '{{a@b}}', '='))
  const url = fc
    .record({
      user: fc.option(urlPart),
      password: fc.option(urlPart),
      parts: fc.array(fc.record({ name: fc.constantFrom('', 'a', 'b', '{{n}}'), value: urlPart })),
      fragment: fc.constantFrom('', '#a?b=c'),
    })
    .map(({ user, password, parts, fragment }) => {
      const login = user === null ? '' : `${user}${password === null ? '' : `:${password}`}@`
      const query = parts.map(({ name, value }) => (name === '' ? value : `${name}=${value}`)).join('&')
      return `https://${login}host.example/{{path}}${parts.length === 0 ? '' : '?'}${query}${fragment}`
    })
  const names = fc.constantFrom('Authorization', 'authorization', 'x-key', '__proto__', 'constructor')
  const owner = fc.record({
    url,
    headers: fc.dictionary(names, value, { maxKeys: 3 }),
    query_params: fc.dictionary(names, value, { maxKeys: 3 }),
  })
  const list = fc
    .array(owner, { maxLength: 2 })
    .map((owners) => owners.map((one, index) => ({ ...one, name: `tool_${index}` })))
  const nodes = fc
    .array(fc.record({ tools: list }), { maxLength: 2 })
    .map((all) => all.map((one, index) => ({ ...one, id: `${index}` })))
  const flow = fc.record({ tools: list, mcps: list, nodes })
  fc.assert(
    fc.property(
      fc.record({ tools: list, mcps: list, nodes, components: fc.array(flow, { maxLength: 1 }) }),
      (given) => {
        const stored = seal(given)
        expect(vault.decrypt(stored, 1)).toEqual(given)
        const written = seal(hideSecrets(stored), stored)
        expect(written).toEqual(stored)
        expect(seal(given, stored)).toEqual(stored)
      },
    ),
    { numRuns: 40 },
  )
})

const tool = (name: string, key: string): object => ({ name, headers: { 'X-Key': key } })

test('a stored value follows its tool into other lists and through a rename, never to another tool', () => {
  const stored = seal({
    general_tools: [tool('a', 'one'), tool('b', 'two')],
    states: [{ name: 's', tools: [tool('c', 'three')] }],
  })
  const reopened = (given: object, ...older: object[]): object => vault.decrypt(seal(given, stored, ...older), 1)
  const back = (name: string): object => tool(name, STORED_VALUE)
  expect(reopened({ general_tools: [back('b'), back('a'), back('c')] })).toEqual({
    general_tools: [tool('b', 'two'), tool('a', 'one'), tool('c', 'three')],
  })
  expect(reopened({ general_tools: [back('a'), back('renamed')] })).toEqual({
    general_tools: [tool('a', 'one'), tool('renamed', 'two')],
  })
  const older = seal({ general_tools: [tool('old', 'four')] })
  expect(reopened({ general_tools: [back('a'), back('b'), back('old')] }, older)).toMatchObject({
    general_tools: [{}, {}, tool('old', 'four')],
  })
  const lowerCase = { general_tools: [{ name: 'a', headers: { 'x-key': STORED_VALUE } }] }
  expect(reopened(lowerCase)).toEqual({ general_tools: [{ name: 'a', headers: { 'x-key': 'one' } }] })
  for (const [given, path] of [
    [{ general_tools: [back('a'), back('b'), back('new')] }, 'general_tools[2].headers.X-Key'],
    [{ general_tools: [{ name: 'a', headers: { other: STORED_VALUE } }] }, 'general_tools[0].headers.other'],
    [{ mcps: [back('a')] }, 'mcps[0].headers.X-Key'],
    [
      { states: [{ name: 's', tools: [{ name: 'c', url: `https://h/?k=${STORED_VALUE}` }] }] },
      'states[0].tools[0].url',
    ],
  ] as const) {
    expect(() => reopened(given)).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: [expect.objectContaining({ path })] }),
    )
  }
})

test('a value cannot be opened in another workspace, and clients cannot write ciphertext', () => {
  const stored = seal({ tools: [tool('a', 'one')] })
  expect(() => vault.decrypt(stored, 2)).toThrow('damaged')
  const copied = vault.encrypt(stored, { workspaceId: 2, storedDefinitions: [] })
  expect(vault.decrypt(copied, 2)).toEqual(stored)
})
