import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (name: string): string => readFileSync(`${root}${name}`, 'utf8')
/** Instructions without comments, each on one line. */
const instructions = read('Dockerfile')
  .replace(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => /^[A-Z]/.test(line))

describe('the Dockerfile', () => {
  test('starts every stage from the configured base image or another stage', () => {
    const stages = instructions
      .filter((line) => line.startsWith('FROM '))
      .map((line) => line.split(/ (?:AS )?/).slice(1))
    const names = stages.flatMap(([, name]) => name ?? [])
    expect(instructions[0]).toBe('ARG BASE_IMAGE=node:24-slim')
    for (const [image] of stages) expect([`\${BASE_IMAGE}`, ...names]).toContain(image)
  })

  test('copies only files that exist and that .dockerignore allows', () => {
    const [, ...allowed] =
      read('.dockerignore')
        .match(/^!?[^#\s].*$/gm)
        ?.filter((line) => !line.startsWith('**')) ?? []
    const copied = instructions
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
      .flatMap((line) => line.split(/\s+/).slice(1, -1))
    expect(copied.filter((file) => !existsSync(`${root}${file}`))).toEqual([])
    expect(copied.filter((file) => !allowed.includes(`!${file.split('/')[0]}`))).toEqual([])
    expect(copied).toEqual(expect.arrayContaining(globSync('packages/*/package.json', { cwd: root })))
  })

  test('installs from the lock file and runs as a numeric user', () => {
    expect(
      instructions.filter((line) => line.startsWith('RUN npm')).every((line) => line.startsWith('RUN npm ci ')),
    ).toBe(true)
    expect(instructions.filter((line) => line.startsWith('USER '))).toEqual(['USER 1000:1000'])
  })
})

test('every service of compose.yaml drops its capabilities', () => {
  const [head = '', services = ''] = read('compose.yaml').split(/^services:$/m)
  expect(head).toContain('cap_drop: [ALL]')
  expect(head).toContain('security_opt: ["no-new-privileges:true"]')
  const bodies =
    services
      .split(/^volumes:$/m)[0]
      ?.split(/^ {2}\w+:$/m)
      .slice(1) ?? []
  expect(bodies).toHaveLength(4)
  for (const body of bodies) expect(body).toContain('<<: *service')
})

test('the dev container has every package that tests need', () => {
  const line = /apt-get install .*/.exec(read('.devcontainer/Dockerfile'))?.[0] ?? ''
  const packages = [...read('scripts/system-packages.cjs').matchAll(/debianPackage: '(.+?)'/g)].map((match) => match[1])
  expect(packages).toHaveLength(3)
  expect(line.split(' ')).toEqual(expect.arrayContaining(packages))
})

test('workflows use pinned actions, read-only permissions and timeouts', () => {
  const files = globSync('.github/workflows/*.yml', { cwd: root })
  expect(files).not.toEqual([])
  for (const workflow of files.map(read)) {
    const actions = workflow.match(/uses: .*/g) ?? []
    expect(actions.filter((line) => !/@v\d+\.\d+\.\d+$/.test(line))).toEqual([])
    expect(workflow).toMatch(/^permissions:\n {2}contents: read\n\n/m)
    expect(workflow).toMatch(/timeout-minutes: \d+/)
    expect(workflow).toContain('cancel-in-progress: true')
  }
})
