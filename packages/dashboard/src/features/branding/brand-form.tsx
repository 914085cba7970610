import type { Branding } from '@parley/contract/branding'
import { type ReactNode, useMemo } from 'react'
import { DraftBar } from '../../components/editing/draft-bar.tsx'
import { DraftFields } from '../../components/editing/draft-fields.tsx'
import { Page } from '../../components/page.tsx'
import { notify } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useDraft } from '../../lib/editing/draft.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import { useDraftSaver } from '../../lib/editing/save.ts'
import { useText } from '../../lib/language.ts'
import { BrandFields } from './brand-fields.tsx'
import { applyOverrides, type BrandInheritance, type BrandOverrides, extractOverrides } from './brand-overrides.ts'
import { type BrandOwner, toOwnerFields, toOwnerKey } from './brand-owner.ts'
import { BrandPreview } from './brand-preview.tsx'
import { DomainPanel } from './domain-panel.tsx'

/** Renders a brand's fields next to the preview. */
export function BrandForm({
  owner,
  effectiveBrand,
  inheritance,
  ownerField,
}: {
  readonly owner: BrandOwner
  readonly effectiveBrand: Branding
  readonly inheritance: BrandInheritance
  /** Selects the brand owner. */
  readonly ownerField: ReactNode
}) {
  const t = useText()
  const savedBrand = useMemo<Snapshot<BrandOverrides>>(
    () => ({ value: extractOverrides(effectiveBrand, inheritance.brand), etag: null }),
    [effectiveBrand, inheritance],
  )
  const draft = useDraft(`brand.${toOwnerKey(owner)}`, savedBrand)
  const updateBranding = useWrite('updateBranding', { invalidates: ['getBranding', 'getBrandDomain'] })
  const saver = useDraftSaver(draft, {
    write: async (edits) => {
      const { value } = await updateBranding.mutateAsync({ body: { ...toOwnerFields(owner), ...edits } })
      notify(t('Brand saved'))
      return { value: extractOverrides(value, inheritance.brand), etag: null }
    },
    read: async () => savedBrand,
  })
  return (
    <Page
      title={t('Branding')}
      description={t('Name, logo, colors and links that your customers see. Empty fields are inherited.')}
      actions={<DraftBar draft={draft} saver={saver} />}
    >
      {ownerField}
      <DraftFields draft={draft} saver={saver}>
        <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_minmax(0,30rem)]">
          <div className="flex min-w-0 flex-col gap-5">
            <BrandFields overrides={draft.value} inheritance={inheritance} onChange={draft.set} />
            <DomainPanel owner={owner} />
          </div>
          <BrandPreview brand={applyOverrides(draft.value, inheritance.brand)} />
        </div>
      </DraftFields>
    </Page>
  )
}
