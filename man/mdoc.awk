# SPDX-License-Identifier: GPL-2.0
# A manual page from a command's --help text:
#
#	gotrace CMD --help | awk -v name=gotrace-CMD -v what='one line' \
#		-v date='January 1, 2026' -v version=1.0 -f mdoc.awk
#
# A help text is: usage lines; paragraphs; lists, whose items stand two columns
# in, with two spaces before their text, which may go on in the lines below,
# further in; and, four columns in after an empty line, what is shown as it is.
# A paragraph that begins with "Exit code:" is the page's EXIT STATUS.

# What mdoc would not take as it is.
function text(s) {
	gsub(/\\/, "\\e", s)
	# A minus, to be found and copied, and not a hyphen.
	gsub(/--/, "\\-\\-", s)
	s = minus(s)
	if (s ~ /^[.']/)
		s = "\\&" s
	return s
}

# A minus that begins a word.
function minus(s,	out) {
	while (match(s, /(^|[ ('\[|])-/)) {
		out = out substr(s, 1, RSTART + RLENGTH - 2) "\\-"
		s = substr(s, RSTART + RLENGTH)
	}
	return out s
}

# "-o, --output FILE", or any other words.
function item(tag,	n, parts, i, out, w) {
	if (tag !~ /^-/)
		return ".It " quote(tag)
	n = split(tag, parts, ", ")
	for (i = 1; i <= n; i++) {
		w = parts[i]
		out = out (i > 1 ? " , " : "") "Fl "
		sub(/^-/, "", w)
		if (match(w, / /)) {
			out = out quote_flag(substr(w, 1, RSTART - 1)) \
				" Ar " quote(substr(w, RSTART + 1))
		} else {
			out = out quote_flag(w)
		}
	}
	return ".It " out
}

function quote(s) {
	gsub(/"/, "\\(dq", s)
	return "\"" text(s) "\""
}

function quote_flag(s) {
	gsub(/-/, "\\-", s)
	return s
}

function end_list() {
	if (in_list)
		print ".El"
	in_list = 0
}

function end_shown() {
	if (shown)
		print ".Ed"
	shown = 0
}

# What comes next is a paragraph's.
function begin_paragraph() {
	end_list()
	end_shown()
	if ($0 ~ /^Exit code: /) {
		print ".Sh EXIT STATUS"
	} else if (!described) {
		print ".Sh DESCRIPTION"
	} else {
		print ".Pp"
	}
	described = 1
	in_text = 1
}

BEGIN {
	print ".\\\" Made from " name "'s --help by man/mdoc.awk."
	print ".Dd " date
	print ".Dt " toupper(name) " 1"
	print ".Os gotrace " version
	print ".Sh NAME"
	print ".Nm " name
	print ".Nd " text(what)
	print ".Sh SYNOPSIS"
}

/^usage: / || (/^       [^ ]/ && !described) {
	sub(/^(usage:|      ) /, "")
	print ".Bd -literal -compact"
	print text($0)
	print ".Ed"
	next
}

/^$/ { in_text = 0; blank = 1; next }

/^  [^ ]/ {
	end_shown()
	if (!described)
		begin_paragraph()
	in_text = 0
	if (!in_list)
		print ".Bl -tag -width " (/^  -/ ? "Ds" : "10n")
	in_list = 1
	blank = 0
	tag = substr($0, 3)
	rest = ""
	if (match(tag, /   *[^ ]/)) {
		rest = substr(tag, RSTART + RLENGTH - 1)
		tag = substr(tag, 1, RSTART - 1)
	}
	print item(tag)
	if (rest != "")
		print text(rest)
	next
}

/^    / && (shown || !in_list || blank) {
	if (!shown) {
		if (!described)
			begin_paragraph()
		end_list()
		print ".Bd -literal -offset indent"
	} else if (blank) {
		print ""
	}
	shown = 1
	in_text = blank = 0
	print text(substr($0, 5))
	next
}

/^   / && in_list {
	sub(/^ +/, "")
	print text($0)
	next
}

{
	if (!in_text)
		begin_paragraph()
	blank = 0
	sub(/^Exit code: /, "")
	print text($0)
}

END {
	end_list()
	end_shown()
}
