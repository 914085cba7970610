import { Page } from '../../components/page.tsx'

export function BrandingScreen() {
  return <Page title="BrandingScreen">…</Page>
}
