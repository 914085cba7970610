import { Page } from '../../components/page.tsx'

export function ProfileScreen() {
  return <Page title="ProfileScreen">…</Page>
}
