# What a browser doesn't need: indentation, comments, most ends of lines, and spaces around operators, in braces and after commas.
# They are in Sources/WebExtension, whose texts have none of these; after a comma or a colon, texts that people read have “and” or a “$”.
# Names that only these scripts use become short ones; those that the native host, pages, the browser or texts use must stay.
:read
$!{
N
b read
}
s/^ +//Mg
s/^\/\/[^\n]*\n//Mg
s/ +\/\/ [^\n]*$//Mg
s/ (=|=>|===|!==|&&|\|\||\|\|=|\?\?|\?\?=|\?|:|\+|<|>|<=|>=|\+=|-=|\*|\/) /\1/g
s/\{ /{/g
s/ \}/}/g
s/\) \{/){/g
s/\b(if|for|while|switch) \(/\1(/g
s/\) (return|throw|continue|this|if|for|yield)\b/)\1/g
s/\b(const|let|return) ([{[])/\1\2/g
s/: ([^$])/:\1/g
s/, ([b-zA-Z0-9_.([{'-]|a[^n])/,\1/g
s/; \}/;}/g
s/\} else/}else/g
s/([;{},(])\n+/\1/g
s/;\}/}/g
s/\bconst /let /g; s/\btrue\b/!0/g; s/\bfalse\b/!1/g
s/\bscroller\b/$a/g; s/\bscrollers\b/$b/g; s/\belement\b/$c/g; s/\boperation\b/$d/g; s/\bmovement\b/$e/g
s/\btranslation\b/$f/g; s/\bisDocument\b/$g/g; s/\bpending\b/$h/g; s/\bopening\b/$i/g; s/\bsizes\b/$j/g
s/\bhasMoved\b/$k/g; s/\brounded\b/$m/g; s/\bmicroseconds\b/$n/g; s/\bminimumScale\b/$o/g
s/\bfeeders\b/$p/g; s/\bblocked\b/$q/g; s/\banswerForget\b/$r/g; s/\blastScroll\b/$s/g; s/\bisDoubtful\b/$t/g
s/\bfingerDistance\b/$u/g; s/\bdistance\b/$v/g; s/\bframesToEnd\b/$w/g; s/\bconnectHost\b/$x/g; s/\bisRightToLeft\b/$y/g
s/\bisPinned\b/$z/g; s/\blargest\b/$A/g; s/\bawaitFrame\b/$B/g; s/\blistenForInput\b/$C/g; s/\bfingerMoved\b/$D/g
s/\bending\b/$E/g; s/\banchorPlace\b/$F/g; s/\bcanScroll\b/$G/g; s/\bscheduleLater\b/$H/g; s/\breconsider\b/$I/g
s/\bisSideways\b/$J/g; s/\bdoubts\b/$K/g; s/\btellSettings\b/$L/g; s/\btellHost\b/$M/g; s/\bresized\b/$N/g
s/\brefusals\b/$O/g; s/\blastTime\b/$P/g; s/\bendTimer\b/$Q/g; s/\btravel\b/$R/g; s/\breadSizes\b/$S/g
s/\bisZooming\b/$T/g; s/\bisOwnPage\b/$U/g; s/\bisOver\b/$V/g; s/\bisOpening\b/$W/g; s/\bisObeying\b/$X/g
s/\bisFirefox\b/$Y/g; s/\binnermost\b/$Z/g; s/\bhasWaited\b/$aa/g; s/\bisPlausible\b/$ab/g; s/\bearlierTime\b/$ac/g
s/\baddScroller\b/$ad/g; s/\bpinched\b/$ae/g; s/\bendIdle\b/$af/g; s/\bbackoff\b/$ag/g; s/\bswitchSite\b/$ah/g
s/\bscrollerOf\b/$ai/g; s/\bmoves\b/$aj/g; s/\bisUnderWay\b/$ak/g; s/\bisPressing\b/$al/g; s/\bisAwaiting\b/$am/g
s/\bfullLayout\b/$an/g; s/\bframeStart\b/$ao/g; s/\bendLater\b/$ap/g; s/\bisShifted\b/$aq/g; s/\banchorTop\b/$ar/g
s/\baddScroll\b/$as/g; s/\bunread\b/$at/g; s/\btellAll\b/$au/g; s/\bpointer\b/$av/g; s/\bmeasure\b/$aw/g
s/\bisUsers\b/$ax/g; s/\bdiscard\b/$ay/g; s/\breportsEnds\b/$az/g; s/\bparentOf\b/$ba/g; s/\blayoutShift\b/$bb/g
s/\bisHidden\b/$bc/g; s/\bisAtEdge\b/$bd/g; s/\bendTouch\b/$be/g; s/\banchorShift\b/$bf/g; s/\btouchMoved\b/$bg/g
s/\bscrollable\b/$bh/g; s/\brectOf\b/$bi/g; s/\blocate\b/$bj/g; s/\bisTold\b/$bk/g; s/\bisHeld\b/$bl/g
s/\bisEditable\b/$bm/g; s/\bfindAnchor\b/$bn/g; s/\bchildrenOf\b/$bo/g; s/\bpressed\b/$bp/g; s/\bendZoom\b/$bq/g
s/\bcleaned\b/$br/g; s/\bmoved\b/$bs/g; s/\bbatch\b/$bt/g; s/\bdrag\b/$bu/g; s/\bqueue\b/$bv/g; s/\bschedule\b/$bw/g
s/\bfling\b/$bx/g; s/\btouch\b/$by/g; s/\bstrangers\b/$bz/g; s/\bhearFrom\b/$ca/g; s/\bhearing\b/$cb/g; s/\bhearsAll\b/$cc/g
s/\bcaught\b/$cd/g; s/\bclock\b/$ce/g; s/\blastStamp\b/$cf/g; s/\bknown\b/$cg/g; s/\bshift\b/$ch/g; s/\bplace\b/$ci/g
