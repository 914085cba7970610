import { expect, test } from 'vitest'
import { renderTemplate, type VariableLookup } from '../variables/variables.ts'
import { buildWithSecrets, type RequestTemplates } from './named-secrets.ts'

const stored = new Map([
  ['crm', 'sk/1 "quoted"'],
  ['other', 'never'],
])

async function buildRequest(templates: RequestTemplates, variables: Readonly<Record<string, string>> = {}) {
  const requestedNames: string[] = []
  const read = async (names: readonly string[]) => {
    requestedNames.push(...names)
    return new Map([...stored].filter(([name]) => names.includes(name)))
  }
  const lookup: VariableLookup = (name) => variables[name]
  const built = await buildWithSecrets(templates, { lookup, secrets: { read } }, (withSecrets) =>
    renderTemplate(`${templates.url} ${templates.headers?.['x'] ?? ''}`, withSecrets),
  )
  return { built, asked: requestedNames }
}

test('a secret is added to the request and masked in any spelling of the response', async () => {
  const { built, asked } = await buildRequest(
    { url: 'https://a/{{id}}', headers: { x: '{{ secrets.crm }}' } },
    { id: '7' },
  )
  expect(asked).toEqual(['crm'])
  if (!built.ok) throw new Error(built.message)
  expect(built.request).toBe('https://a/7 sk/1 "quoted"')
  const echo = JSON.stringify({ plain: 'sk/1 "quoted"', encoded: encodeURIComponent('sk/1 "quoted"'), left: 'sk' })
  expect(built.mask(echo)).toBe('{"plain":"***","encoded":"***","left":"sk"}')
})

test('variables and callers cannot choose a secret, and an unknown one stops the request', async () => {
  const injected = await buildRequest({ url: 'https://a/{{id}}' }, { id: '{{secrets.crm}}' })
  expect(injected).toMatchObject({ asked: [], built: { ok: true, request: 'https://a/{{secrets.crm}} ' } })
  const unknown = { ok: false, message: 'No request was sent: the secret "gone" does not exist in this workspace.' }
  for (const x of ['{{secrets.gone}}', '{{secrets.gone | default}}']) {
    expect((await buildRequest({ url: 'https://a', headers: { x } }, { 'secrets.gone': 'a variable' })).built).toEqual(
      unknown,
    )
  }
  const chosen = await buildRequest({ url: 'https://a', headers: { x: '{{secrets.{{which}}}}' } }, { which: 'other' })
  expect(chosen).toMatchObject({ asked: [], built: { ok: false } })
})
