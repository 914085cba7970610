import type { Import } from './imports.ts'

const CONTRACT = 'packages/contract/src/'
const RETRIEVAL = 'packages/retrieval/src/'
const ENGINE = 'packages/engine/src/'
const OFFLINE_MODEL = 'packages/offline-model/src/'
const SERVER = 'packages/server/src/'
const COMPOSITION = `${SERVER}composition/`
const SDK = 'packages/sdk/src/'
const DASHBOARD = 'packages/dashboard/src/'
const EDGES = ['http', 'media', 'integrations', 'platform']

/** An accepted violation of a rule. `from` and `to` are path prefixes. */
export interface Exception {
  readonly from: string
  readonly to: string
  readonly reason: string
}

/** Whether code runs only in tests, which includes test doubles and test kits. */
export function isTestCode(path: string): boolean {
  return /\.test\.ts$|-test-kit\.ts$/.test(path) || /^(test|testing)\/|\/src\/testing\//.test(path)
}

/** Returns the reason that an import is forbidden, or null. Type imports follow the same rules. */
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
  if (one.from.startsWith(OFFLINE_MODEL)) return offlineModelReason(one)
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

function offlineModelReason({ from, to }: Import): string | null {
  if ([OFFLINE_MODEL, RETRIEVAL, ENGINE, CONTRACT].some((inner) => to.startsWith(inner))) return null
  // Tests use the product's built-in agents.
  if (isTestCode(from)) return null
  return 'the offline model imports only the engine, retrieval, the contract and itself'
}

function sdkReason({ from, to }: Import): string | null {
  return to.startsWith(SDK) || isTestCode(from) ? null : 'the browser client knows itself only: it is served as it is'
}

function serverReason({ from, to }: Import): string | null {
  const target = to.startsWith(SERVER) ? to.slice(SERVER.length) : null
  // Other packages are inward, and tests may import any part of the server.
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

/** Layers of the dashboard, from inner to outer. */
const DASHBOARD_LAYERS = ['lib', 'components', 'parts', 'features', 'app']
/** Contract modules without schemas. Pages import only types from the others, which are too large. */
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
