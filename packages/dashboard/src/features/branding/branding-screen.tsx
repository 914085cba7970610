import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Page } from '../../components/page.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { guardScreen } from '../../components/screen.tsx'
import { QueryView, Skeleton } from '../../components/states.tsx'
import { message, useText } from '../../lib/language.ts'
import { BrandForm } from './brand-form.tsx'
import { type BrandOwner, getOwnerFromSearch, parseOwnerKey, toOwnerFields, toOwnerKey } from './brand-owner.ts'
import { useBrandOwners, useBrandQuery } from './brand-owners.ts'

export const BrandingScreen = guardScreen('updateBranding', message('Branding'), Branding)

/** Renders the brand that an account or provider displays to its customers. */
function Branding() {
  const t = useText()
  const owners = useBrandOwners()
  const search = useSearch({ from: '/signed-in/$workspaceId/branding' })
  const navigate = useNavigate({ from: '/$workspaceId/branding' })
  const owner = getOwnerFromSearch(search) ?? owners.initialOwner
  const ownerField = owners.choices.length > 1 && (
    <RecordField
      className="max-w-xs"
      label={t('Brand owner')}
      value={owner === null ? null : toOwnerKey(owner)}
      choices={owners.choices}
      isLoading={owners.isLoading}
      onChange={(key) => void navigate({ search: key === null ? {} : toOwnerFields(parseOwnerKey(key)) })}
    />
  )
  if (owner !== null) return <OwnerBrand key={toOwnerKey(owner)} owner={owner} ownerField={ownerField} />
  return (
    <Page title={t('Branding')}>
      {owners.isLoading ? (
        <Skeleton />
      ) : (
        <p className="text-muted">{t('You do not administer an account or provider.')}</p>
      )}
    </Page>
  )
}

function OwnerBrand({ owner, ownerField }: { readonly owner: BrandOwner; readonly ownerField: ReactNode }) {
  const t = useText()
  const brandQuery = useBrandQuery(owner)
  if (brandQuery.data !== undefined) return <BrandForm owner={owner} {...brandQuery.data} ownerField={ownerField} />
  return (
    <Page title={t('Branding')}>
      {ownerField}
      <QueryView query={brandQuery} lines={6}>
        {() => null}
      </QueryView>
    </Page>
  )
}
