import type { Import } from './imports.ts'

const CONTRACT = 'packages/contract/src/'
const RETRIEVAL = 'packages/retrieval/src/'
const ENGINE = 'packages/engine/src/'
const SERVER = 'packages/server/src/'
const COMPOSITION = `${SERVER}composition/`
const SDK = 'packages/sdk/src/'
const DASHBOARD = 'packages/dashboard/src/'
const EDGES = ['http', 'media', 'integrations', 'platform']

/** An import that breaks a rule for a reason that is worth it. Both are prefixes of paths. */
export interface Exception {
  readonly from: string
  readonly to: string
  readonly reason: string
}

/** Code that runs in tests only: tests, doubles and the kits that tests of one folder share. */
export function isTestCode(path: string): boolean {
  return /\.test\.ts$|-test-kit\.ts$/.test(path) || /^(test|testing)\/|\/src\/testing\//.test(path)
}

/** Why an import must not be, or null when it may. Types count as well: a layer does not even know the names of an outer one. */
export function violationOf(one: Import, exceptions: readonly Exception[] = []): string | null {
  if (exceptions.some(({ from, to }) => one.from.startsWith(from) && one.to.startsWith(to))) return null
  const reason = testingReason(one) ?? compositionReason(one) ?? layerReason(one)
  return reason === null ? null : `${one.from} -> ${one.to}: ${reason}`
}

function testingReason({ from, to }: Import): string | null {
  if (isTestCode(from) || from.startsWith('bench/')) return null
  return isTestCode(to) || to === 'vitest' || to === 'fast-check' ? 'what is for tests stays in tests' : null
}

function compositionReason({ from, to }: Import): string | null {
  if (isTestCode(from)) return null
  if (to.startsWith(COMPOSITION)) {
    const allowed = from === `${SERVER}app.ts` || from.startsWith(COMPOSITION)
    return allowed ? null : 'only app.ts and tests import the composition'
  }
  if (to !== `${SERVER}app.ts`) return null
  const allowed = from === `${SERVER}main.ts` || /^(bench|scripts)\//.test(from)
  return allowed ? null : 'only main.ts, tests, benchmarks and scripts import the composition root'
}

function layerReason(one: Import): string | null {
  if (one.from.startsWith(CONTRACT)) return contractReason(one)
  if (one.from.startsWith(RETRIEVAL)) return retrievalReason(one)
  if (one.from.startsWith(ENGINE)) return engineReason(one)
  if (one.from.startsWith(SERVER)) return serverReason(one)
  if (one.from.startsWith(SDK)) return sdkReason(one)
  if (one.from.startsWith(DASHBOARD)) return dashboardReason(one)
  return null
}

function contractReason({ from, to }: Import): string | null {
  if (to.startsWith(CONTRACT) || to === 'zod') return null
  if (isTestCode(from) && !to.startsWith('packages/')) return null
  return 'the contract knows zod and itself'
}

function retrievalReason({ from, to }: Import): string | null {
  if (to.startsWith(RETRIEVAL) || to.startsWith('@orama/stemmers/')) return null
  if (isTestCode(from) && !to.startsWith('packages/')) return null
  return 'retrieval imports only itself and the stemmers: no I/O'
}

function engineReason({ from, to }: Import): string | null {
  if ([ENGINE, CONTRACT, RETRIEVAL].some((layer) => to.startsWith(layer)) || /^(zod|ajv)(\/|$)/.test(to)) return null
  if (isTestCode(from) && !to.startsWith('packages/')) return null
  return 'the engine imports only the contract, retrieval, zod, ajv and itself: no node:, network, database or vendor'
}

function sdkReason({ from, to }: Import): string | null {
  return to.startsWith(SDK) || isTestCode(from) ? null : 'the browser client knows itself only: it is served as it is'
}

function serverReason({ from, to }: Import): string | null {
  const target = to.startsWith(SERVER) ? to.slice(SERVER.length) : null
  // Other packages and the contract and engine are inward; tests may set a scene out of any part.
  if (target === null || isTestCode(from)) return null
  const [layer = '', name = ''] = from.slice(SERVER.length).split('/')
  const [targetLayer = '', targetName = ''] = target.split('/')
  if (targetLayer === 'tables') return null
  if (layer === 'tables') return 'tables know nothing but themselves'
  if (targetLayer === 'kernel') return null
  if (layer === 'kernel') return 'the kernel knows the contract, the engine, the tables and itself'
  if (targetLayer === 'features') {
    const isOwn = layer === 'features' && targetName === name
    return isOwn || target === `features/${targetName}/public.ts` ? null : 'a feature is used through its public.ts'
  }
  if (layer === 'features') return 'features know the kernel and each other, not the edges'
  if (EDGES.includes(layer) && targetLayer !== layer) return 'an edge knows what is inward of it, not its neighbours'
  return null
}

/** Layers of the dashboard, inner ones first. */
const DASHBOARD_LAYERS = ['lib', 'components', 'parts', 'features', 'app']
/** Parts of the contract without schemas: everything else of it is too heavy for a page and comes as types. */
const LIGHT_CONTRACT = [
  'access',
  'operation-table',
  'secret-reference',
  'agent-settings/agent-settings',
  'agent-settings/setting',
  'agent-settings/setting-groups',
  'agent-settings/voice-settings',
].map((name) => `${CONTRACT}${name}.ts`)

function dashboardReason({ from, to, typeOnly }: Import): string | null {
  if (isTestCode(from)) return null
  if (to.startsWith(DASHBOARD)) return dashboardLayerReason(from, to)
  if (!to.startsWith('packages/')) return to.startsWith('node:') ? 'a browser has no node:' : null
  if (typeOnly && (to.startsWith(CONTRACT) || to.startsWith(SDK))) return null
  return LIGHT_CONTRACT.includes(to) ? null : 'a page takes types of the contract and the sdk, and the light tables'
}

function dashboardLayerReason(from: string, to: string): string | null {
  const [layer = '', name = ''] = from.slice(DASHBOARD.length).split('/')
  const [targetLayer = '', targetName = ''] = to.slice(DASHBOARD.length).split('/')
  const depth = DASHBOARD_LAYERS.indexOf(layer) - DASHBOARD_LAYERS.indexOf(targetLayer)
  if (depth < 0) return 'the dashboard goes inward: lib <- components <- parts <- features <- app'
  if (layer === 'features' && targetLayer === 'features' && name !== targetName) {
    return 'what two features share is in parts/'
  }
  return null
}
