import { createHmac } from 'node:crypto'
import type { BrandDomain, VerifyBrandDomainBody } from '@parley/contract/branding'
import type { Clock } from '@parley/engine/ports'
import type { Actor } from '../../kernel/access/actor.ts'
import { AppError } from '../../kernel/errors.ts'
import { createTokenBuckets } from '../../kernel/security/rate-limits.ts'
import type { Database } from '../../kernel/storage/database.ts'
import { type Brand, type DomainProof, hostNameOf, statusOf } from './brand.ts'
import { createOwnerChoice, type NamedOwner, ownerIdOf } from './brand-owner.ts'
import type { BrandAdministration, ReadTxtRecords } from './branding-ports.ts'
import { findBrand, findOwnerOfDomain, saveProof } from './branding-store.ts'

export interface DomainServiceDependencies {
  readonly database: Database
  readonly clock: Omit<Clock, 'after'>
  readonly administration: BrandAdministration
  readonly readTxtRecords: ReadTxtRecords
  /** Of the installation: the value of a record follows from it, so that none is stored. */
  readonly key: () => Promise<Uint8Array>
  /** Host of the installation itself; null when it is not known. */
  readonly publicHost: string | null
}

/** Proves that domains belong to those who claim them. */
export interface DomainService {
  /** Throws `not_found` for an owner that the actor does not administer. */
  get(actor: Actor, named: NamedOwner): Promise<BrandDomain>
  /** Looks the record up and, where it is right, makes the owner the only one with the domain. Throws `rate_limited`. */
  verify(actor: Actor, body: VerifyBrandDomainBody): Promise<BrandDomain>
}

type Problem = BrandDomain['problem']

const RECORD_PREFIX = '_parley-verification'
/** Lookups for one owner. */
const LOOKUP_LIMIT = { perSecond: 0.1, burst: 5 }
const RETRY_AFTER_MS = 10_000

export function createDomainService(dependencies: DomainServiceDependencies): DomainService {
  const { database, readTxtRecords, key } = dependencies
  const ownerOf = createOwnerChoice(dependencies.administration)
  const takeLookupToken = createTokenBuckets(LOOKUP_LIMIT, dependencies.clock)

  async function valueFor(ownerId: string, domain: string): Promise<string> {
    return createHmac('sha256', await key())
      .update(`domain.${ownerId}.${domain}`)
      .digest('base64url')
  }

  async function describe(ownerId: string, problem: Problem = null): Promise<BrandDomain> {
    const brand = await findBrand(database.read, ownerId)
    if (brand === null || brand.domain === null) {
      return { domain: null, status: null, verifiedBy: null, record: null, problem: null }
    }
    const { domain, proof } = brand
    const record = { type: 'TXT', name: `${RECORD_PREFIX}.${domain}`, value: await valueFor(ownerId, domain) } as const
    return { domain, status: statusOf(brand), verifiedBy: proof, record, problem }
  }

  async function lookUp(ownerId: string, domain: string): Promise<Problem> {
    if (!takeLookupToken(ownerId).isTaken) {
      throw new AppError('rate_limited', 'The domain was checked several times just now. Wait and try again.', {
        retryAfterMs: RETRY_AFTER_MS,
      })
    }
    const records = await readTxtRecords(`${RECORD_PREFIX}.${domain}`)
    if (records === null) return 'lookup_failed'
    if (records.includes(await valueFor(ownerId, domain))) return null
    return records.length === 0 ? 'record_missing' : 'record_differs'
  }

  return {
    get: async (actor, named) => describe(ownerIdOf(await ownerOf(database.read, actor, named))),

    async verify(actor, { tenantId, providerId, vouch }) {
      const ownerId = ownerIdOf(await ownerOf(database.read, actor, { tenantId, providerId }))
      if (vouch && actor.role !== 'platform_admin') {
        throw new AppError('forbidden', 'Only a platform_admin can verify a domain without its record.')
      }
      const brand = await findBrand(database.read, ownerId)
      if (!needsProof(brand, vouch)) return await describe(ownerId)
      const { domain } = brand
      const problem = vouch ? null : await lookUp(ownerId, domain)
      if (problem !== null) return await describe(ownerId, problem)
      const provenDomain = { ownerId, domain, proof: vouch ? 'operator' : 'record' } as const
      return await describe(ownerId, await claimDomain(dependencies, actor, provenDomain))
    },
  }
}

/** A record outweighs every other claim but the operator's word. */
function claimDomain(
  { database, publicHost }: Pick<DomainServiceDependencies, 'database' | 'publicHost'>,
  actor: Actor,
  { ownerId, domain, proof }: { readonly ownerId: string; readonly domain: string; readonly proof: DomainProof },
): Promise<Problem> {
  const isReserved = publicHost !== null && domain === hostNameOf(publicHost) && actor.role !== 'platform_admin'
  return database.transaction(async (transaction) => {
    const brand = await findBrand(transaction, ownerId)
    // Changed during the lookup.
    if (brand?.domain !== domain) return null
    const holder = await findOwnerOfDomain(transaction, domain)
    const isHeld = holder !== null && holder.ownerId !== ownerId && holder.proof === 'operator'
    if (isReserved || (isHeld && proof !== 'operator')) return 'domain_taken'
    await saveProof(transaction, { ownerId, domain }, proof)
    return null
  })
}

/** A proof is not taken twice; an operator may add the own word to any other, and one of before can be replaced. */
function needsProof(brand: Brand | null, vouch: boolean): brand is Brand & { readonly domain: string } {
  if (brand === null || brand.domain === null) return false
  return vouch ? brand.proof !== 'operator' : brand.proof === null || brand.proof === 'earlier'
}
