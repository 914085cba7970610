import { type Config, ConfigError, readConfig, type ServiceSettings } from '../../packages/server/src/config.ts'
import type { KeyedVendor } from '../../packages/server/src/features/vendor-keys/public.ts'
import { isVendor, VENDOR_CHECKS } from './vendors.ts'

export interface SelectedVendor {
  readonly vendor: KeyedVendor
  readonly settings: ServiceSettings
}

export interface VendorSelection {
  readonly vendors: readonly SelectedVendor[]
  /** Sentences about invalid names and settings. If there are any, `vendors` is incomplete. */
  readonly problems: readonly string[]
}

type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** Finds the keys and addresses of vendors in the settings of the server. */
export function selectVendors(names: readonly string[], environment?: EnvironmentVariables): VendorSelection {
  const available = Object.keys(VENDOR_CHECKS)
  if (names.length === 0) {
    return { vendors: [], problems: [`Name a vendor: npm run verify:live -- ${available.join('|')}`] }
  }
  const keys = readServiceKeys(environment)
  if (typeof keys === 'string') return { vendors: [], problems: [keys] }
  const vendors: SelectedVendor[] = []
  const problems: string[] = []
  for (const name of names) {
    const settings = isVendor(name) ? keys[name] : undefined
    if (!isVendor(name)) problems.push(`Unknown vendor "${name}". Available: ${available.join(', ')}.`)
    else if (settings === undefined) problems.push(`Set ${name.toUpperCase()}_API_KEY to your key to verify ${name}.`)
    else vendors.push({ vendor: name, settings })
  }
  return { vendors, problems }
}

/** Returns the keys of the server, or the problem of its settings. */
function readServiceKeys(environment?: EnvironmentVariables): Config['serviceKeys'] | string {
  try {
    return readConfig(environment).serviceKeys
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}
